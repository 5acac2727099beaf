package pipeline

import (
	"encoding/json"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// signatures is the output of kind "signature": the interfaces of kernels for their callers.
type signatures struct {
	Kernels []signature `json:"kernels"`
}

type signature struct {
	Name       string      `json:"name"`
	Parameters []parameter `json:"parameters"`

	ReqdWorkGroupSize *[3]int `json:"reqd_work_group_size,omitempty"`
	ReqdSubGroupSize  int     `json:"reqd_sub_group_size,omitempty"`

	LocalBytes int `json:"local_bytes"` // of local variables; local parameters add to it
}

// parameter describes one parameter. Fields that do not apply to its kind are left out.
type parameter struct {
	Name         string `json:"name"`
	Type         string `json:"type"` // in OpenCL C syntax
	Kind         string `json:"kind"` // buffer, local, value, image or sampler
	AddressSpace string `json:"address_space"`
	Access       string `json:"access,omitempty"`       // of buffers and images
	Element      string `json:"element,omitempty"`      // scalar type of the value or the pointee; no structs
	Components   int    `json:"components,omitempty"`   // of a vector; 1 for scalars
	ElementSize  int    `json:"element_size,omitempty"` // bytes of the value or the pointee
	Offset       int    `json:"offset"`                 // in the argument block, in bytes
	Size         int    `json:"size"`                   // in the argument block, in bytes
}

func emitSignature(_ *Program, ks []*Kernel) ([]byte, error) {
	var out signatures
	for _, k := range ks {
		out.Kernels = append(out.Kernels, k.shared.describe())
	}
	text, err := json.MarshalIndent(out, "", "  ")
	return append(text, '\n'), err
}

func (s *state) describe() signature {
	out := signature{Name: s.name, Parameters: []parameter{}, ReqdSubGroupSize: s.raw.ReqdSubGroupSize, LocalBytes: s.localBytes}
	if n := s.raw.ReqdWorkGroupSize; n != [3]int{} {
		out.ReqdWorkGroupSize = &n
	}
	for _, a := range s.args {
		out.Parameters = append(out.Parameters, describeParameter(a))
	}
	return out
}

func describeParameter(a kernel.Arg) parameter {
	p := parameter{Name: a.Name, Type: a.CType, Element: a.Elem, Offset: a.Offset, Size: a.Size, AddressSpace: "private"}
	if a.Elem != "" {
		p.Components = a.Count
	}
	switch a.Kind {
	case kernel.ArgBuffer:
		p.Kind, p.AddressSpace, p.Access = "buffer", "global", "read_write"
		if a.Type == alu.PtrConstant {
			p.AddressSpace = "constant"
		}
		if a.ReadOnly {
			p.Access = "read_only"
		}
		p.ElementSize = launch.PointeeSize(a)
	case kernel.ArgLocal:
		p.Kind, p.AddressSpace, p.ElementSize = "local", "local", launch.PointeeSize(a)
	case kernel.ArgImage:
		p.Kind, p.AddressSpace, p.Access, p.Components = "image", "global", "read_only", 0
		for _, access := range []string{"write_only", "read_write"} {
			if strings.Contains(a.CType, access) {
				p.Access = access
			}
		}
	default:
		p.Kind, p.ElementSize = "value", a.Size
		if a.CType == "sampler_t" {
			p.Kind, p.Element, p.Components, p.ElementSize = "sampler", "", 0, 0
		}
	}
	return p
}
