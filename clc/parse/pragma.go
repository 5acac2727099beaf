package parse

import (
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/ast"
)

// runPragmas obeys the pragmas that stand before the current token.
func (p *parser) runPragmas() {
	for p.nextPr < len(p.pragmas) && p.pragmas[p.nextPr].before <= p.i {
		pr := p.pragmas[p.nextPr]
		p.nextPr++
		p.pragma(pr)
	}
}

// pragma obeys one pragma (OpenCL C 1.2 §6.10): FP_CONTRACT, unroll and
// nounroll; it checks the form of OPENCL EXTENSION; all others mean nothing
// here.
func (p *parser) pragma(pr pragma) {
	f := strings.Fields(strings.ReplaceAll(pr.tok.Text, "(", " ("))
	if len(f) == 0 {
		return
	}
	switch f[0] {
	case "OPENCL", "STDC":
		if len(f) >= 3 && f[1] == "FP_CONTRACT" {
			switch f[2] {
			case "ON", "DEFAULT":
				p.contract = true
			case "OFF":
				p.contract = false
			default:
				p.errs.Addf(pr.tok.At(), "FP_CONTRACT takes ON, OFF or DEFAULT, not '%s'", f[2])
			}
		}
	case "unroll":
		p.unroll = ast.Unroll{Set: true}
		if len(f) > 1 {
			n, err := strconv.ParseUint(strings.Trim(strings.Join(f[1:], ""), "()"), 0, 16)
			if err == nil {
				p.unroll.Count = int(n)
			}
		}
	case "nounroll":
		p.unroll = ast.Unroll{Set: true, Count: 1}
	}
}
