# What go test -json printed, read as raw lines with -n: a line a package, the
# five packages and tests that took longest, and all that the failed ones said.
def outputs: map(select(.Action == "output" or .Action == "build-output") | .Output | rtrimstr("\n") | .[:300]);
def seconds: "\(.Elapsed // 0 | . * 10 | round / 10)s";

[inputs | fromjson? | objects] as $all
| ($all | map(select(.Action == "pass" or .Action == "fail" or .Action == "skip"))) as $ends
| ($ends | map(select(.Test == null))) as $packages
| ($ends | map(select(.Test != null and (.Test | contains("/") | not)))) as $tests
| ($ends | map(select(.Action == "fail" and .Test != null))) as $failed
| (
    $packages[] | select(.Elapsed > 1 or .Action == "fail") | "\(if .Action == "fail" then "FAIL" else "ok  " end) \(.Package) \(seconds)"
  ), (
    "\($tests | length) tests of \($packages | length) packages, \($failed | length) failed; the slowest: "
    + ($tests | sort_by(-.Elapsed)[:5] | map("\(.Test) \(seconds)") | join(", "))
  ), (
    $failed[] | . as {$Package, $Test}
    | "--- what \($Test) of \($Package) said",
      ($all | map(select(.Package == $Package and .Test == $Test)) | outputs | if length > 200 then .[:100] + ["..."] + .[-100:] else . end | .[])
  ), (
    # Panics, leaks and builds that fail belong to no test.
    $packages[] | select(.Action == "fail") | . as {$Package, $FailedBuild}
    | "--- what \($Package) said",
      ($all | map(select(.Test == null and (.Package == $Package or (.ImportPath != null and .ImportPath == $FailedBuild)))) | outputs[-100:][])
  )
