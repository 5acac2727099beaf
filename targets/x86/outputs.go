package x86

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets"
)

// Outputs are the kinds of output of targets whose code is a *Code.
var Outputs = []targets.Output{
	{Kind: "asm", About: "a listing of the machine code", Emit: func(codes []targets.Code, p targets.Program) ([]byte, error) {
		return []byte(Listing(own(codes), func(line diag.Pos) string { return p.Texts.Comment(line, p.File) })), nil
	}},
	{Kind: "obj", About: "an ELF object file", Emit: func(codes []targets.Code, p targets.Program) ([]byte, error) {
		return Object(own(codes), p.Data)
	}},
	{Kind: "goasm", About: "an assembly file of a Go package", Emit: func(codes []targets.Code, p targets.Program) ([]byte, error) {
		text, err := GoAssembly(own(codes), p.Data)
		return []byte(text), err
	}},
}

func own(codes []targets.Code) []*Code {
	out := make([]*Code, len(codes))
	for i, c := range codes {
		out[i] = c.(*Code)
	}
	return out
}
