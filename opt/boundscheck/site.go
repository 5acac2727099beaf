package boundscheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Site is an access with a test.
type Site struct {
	Pos     diag.Pos
	verb    string // "read", "write" or "atomic operation"
	bytes   int64
	objects []object
}

func siteOf(o *objects, v *kernel.Value) Site {
	s := Site{Pos: v.Pos}
	s.bytes, _ = access(v)
	switch v.Op {
	case kernel.Load:
		s.verb = "read"
	case kernel.Store:
		s.verb = "write"
	default:
		s.verb = "atomic operation"
	}
	among, _ := o.of(v.Args[0])
	for _, i := range among {
		s.objects = append(s.objects, o.list[i])
	}
	return s
}

// Violation is the error of an access outside of its object.
type Violation struct {
	Pos  diag.Pos
	text string
}

// Error names the object, the place of the access and the work-item.
func (v *Violation) Error() string { return v.text }

// Violation describes an access of the site by the work-item with the given global id; offset
// is its distance in bytes from the start of the site's first object.
func (s *Site) Violation(l *Launch, offset int64, item [3]uint64) *Violation {
	if len(s.objects) == 0 {
		return s.format("through a pointer to no memory of the launch", item)
	}
	return s.violation(l, &s.objects[0], offset, item)
}

// maxNamed limits the objects that a message names.
const maxNamed = 3

func (s *Site) violation(l *Launch, x *object, offset int64, item [3]uint64) *Violation {
	size := l.size(x)
	switch {
	case x.op == kernel.Argument && l.Args[x.index].Null && len(s.objects) == 1:
		return s.format(fmt.Sprintf("through the null pointer passed for %s", quoted(x)), item)
	case len(s.objects) > maxNamed:
		return s.format(fmt.Sprintf("outside of the %d objects that its pointer may point to", len(s.objects)), item)
	case len(s.objects) > 1:
		names := make([]string, len(s.objects))
		for i := range s.objects {
			names[i] = quoted(&s.objects[i])
		}
		return s.format(fmt.Sprintf("outside of %s, one of which its pointer points to: byte %d from the start of the first, which has %d bytes",
			strings.Join(names, " and "), offset, size), item)
	}
	elem := x.elem
	if elem == 0 {
		elem = s.bytes
	}
	return s.format(fmt.Sprintf("out of bounds: index %d (byte %d) of %s, which has %d bytes", floorDiv(offset, elem), offset, quoted(x), size), item)
}

func (s *Site) format(where string, item [3]uint64) *Violation {
	plural := "s"
	if s.bytes == 1 {
		plural = ""
	}
	return &Violation{s.Pos, fmt.Sprintf("%s of %d byte%s %s; work-item (%d, %d, %d)", s.verb, s.bytes, plural, where, item[0], item[1], item[2])}
}

// kinds names the kinds of objects.
var kinds = map[kernel.Op]string{
	kernel.Argument: "parameter", kernel.ArgAddr: "parameter", kernel.DataAddr: "constant", kernel.LocalAddr: "__local variable", kernel.Alloca: "private variable",
}

func quoted(x *object) string {
	switch {
	case x.op == kernel.DataAddr && x.space == alu.PtrGlobal:
		return "the memory of program-scope variables"
	case x.name == "":
		return "a " + kinds[x.op]
	}
	return fmt.Sprintf("%s '%s'", kinds[x.op], x.name)
}

func sorted(ids []int) []int {
	slices.Sort(ids)
	return ids
}
