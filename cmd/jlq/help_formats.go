package main

const formatsTopic = `-F says how records are printed.

  raw       the stored bytes, one record a line (the default)
  json      one compact JSON value a line, numbers and keys as they were written
  pretty    indented JSON

Data goes to stdout and nothing else does. In a pipe it is the stored bytes; on a
terminal control characters are shown escaped, and JSON is coloured (NO_COLOR).
`
