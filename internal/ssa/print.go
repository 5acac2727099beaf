package ssa

import (
	"fmt"
	"strings"
)

// Label formats the name of a block: b3, or b3.loop with a name for readers.
func Label(id int, name string) string {
	if name != "" {
		return fmt.Sprintf("b%d.%s", id, name)
	}
	return fmt.Sprintf("b%d", id)
}

// Ref formats a use of a value that is not a constant: %7, or %sum.7 with a name.
func Ref(id int, name string) string {
	if name != "" {
		return fmt.Sprintf("%%%s.%d", name, id)
	}
	return fmt.Sprintf("%%%d", id)
}

// List formats the parameters of a label or the arguments of an edge; "" if there are none.
func List[V any](vs []V, format func(V) string) string {
	if len(vs) == 0 {
		return ""
	}
	texts := make([]string, len(vs))
	for i, v := range vs {
		texts[i] = format(v)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// FormatEdge formats an edge.
func FormatEdge[B, V any](e Edge[B, V], label func(B) string, ref func(V) string) string {
	s := label(e.To) + List(e.Args, ref)
	if e.Rare {
		s += " rare"
	}
	return s
}
