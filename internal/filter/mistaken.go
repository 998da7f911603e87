package filter

import "strings"

// mistaken is what people write who come from elsewhere, and what they want.
var mistaken = []struct{ mark, want string }{
	{"=", "= does not compare, == does"},
	{"&", "& alone is nothing, && is and"},
	{"|", `a filter has no pipes; || is or; a function takes its field: contains(.a, "x")`},
	{"!~", "there is no !~; write !(.a =~ \"re\")"},
	{"~", `~ does not compare, =~ "re" matches a regular expression`},
	{"not", "not goes in front: !(...)"},
	{"'", "strings are in double quotes"},
}

// unexpected is the error for what follows a whole condition.
func (p *parser) unexpected() error {
	rest := p.rest()
	for _, m := range mistaken {
		if strings.HasPrefix(rest, m.mark) {
			return p.fail(p.pos, "%s", m.want)
		}
	}
	if rest[0] == ')' {
		return p.fail(p.pos, "a ) without its (")
	}
	return p.fail(p.pos, "%s where && or || or the end should be", quoted(rest))
}

// functionsOfJq are those that people write first, and what does the same here.
var functionsOfJq = map[string]string{
	"select": "write what stands in its ( )",
	"has":    "exists(.a) asks whether a field is there",
	"test":   `.a =~ "re" matches a regular expression`,
	"match":  `.a =~ "re" matches a regular expression`,
}
