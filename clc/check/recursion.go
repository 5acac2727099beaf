package check

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/internal/diag"
)

// maxCycleNotes bounds the number of calls listed for a cycle.
const maxCycleNotes = 10

// recursion reports cycles in the call graph (OpenCL C 1.2 §6.9.i), at most one per
// function.
func (c *checker) recursion() {
	const (
		onPath = 1
		done   = 2
	)
	type frame struct {
		fn   *ast.Func
		next int
	}
	state := make(map[*ast.Func]int, len(c.file.Funcs))
	for _, root := range c.file.Funcs {
		if state[root] != 0 {
			continue
		}
		path := []frame{{fn: root}}
		state[root] = onPath
		for len(path) > 0 {
			f := &path[len(path)-1]
			if f.next == len(f.fn.Calls) {
				state[f.fn] = done
				path = path[:len(path)-1]
				continue
			}
			callee, at := f.fn.Calls[f.next], f.fn.FirstCall[f.next]
			f.next++
			switch state[callee] {
			case 0:
				state[callee] = onPath
				path = append(path, frame{fn: callee})
			case onPath:
				e := diag.Errorf(at, "recursion is not supported: '%s' calls itself", callee.Name)
				if callee != f.fn {
					e.Msg = fmt.Sprintf("recursion is not supported: this call of '%s' closes a cycle", callee.Name)
				}
				i := len(path) - 1
				for path[i].fn != callee {
					i--
				}
				for first := i; i < len(path)-1; i++ {
					if i-first == maxCycleNotes/2 && len(path)-1-first > maxCycleNotes {
						i = len(path) - 1 - maxCycleNotes/2 // omit the middle of a long cycle
					}
					from := path[i].fn
					e.Notes = append(e.Notes, diag.Note{
						Pos: from.FirstCall[path[i].next-1],
						Msg: fmt.Sprintf("'%s' calls '%s' here", from.Name, path[i+1].fn.Name),
					})
				}
				c.errs.Add(e)
			}
		}
	}
}
