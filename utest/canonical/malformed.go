package canonical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// Fault is a kernel that linearizers must reject.
type Fault struct {
	Name string
	body string
	Want string // part of the error
}

// Kernel returns the kernel, whose name is f.
func (x *Fault) Kernel(t *testing.T) *kernel.Func {
	t.Helper()
	m, err := kernel.Parse("in.simt", "kernel f {\n  arg n scalar i32 - 1 \"int\""+x.body+"\n}\n")
	require.NoError(t, err)
	return m.Funcs[0]
}

// Malformed has a kernel for each precondition of linearizers.
var Malformed = []Fault{
	{"switch", `
b0:
  %n = arg.i32 0
  switch.i32 %n, b1, 3: b2
b1:
  jump b2
b2:
  return`, "b0: a switch remains"},
	{"two returns", `
b0:
  %id = globalid 0
  %odd = trunc.i1 %id
  branch %odd, b1, b2
b1:
  return
b2:
  return`, "2 return blocks"},
	{"unreachable block", `
b0:
  jump b2
b1:
  jump b2
b2:
  return`, "b1 is not reachable"},
	{"two back edges", `
b0:
  %n = arg.i32 0
  %c = slt.i32 %n, 3
  %d = slt.i32 %n, 5
  jump b1
b1:
  branch %c, b1, b2
b2:
  branch %d, b1, b3
b3:
  return`, "b1 is a header with 1 entering and 2 back edges"},
	{"two entering edges", `
b0:
  %n = arg.i32 0
  %c = slt.i32 %n, 3
  %d = slt.i32 %n, 5
  branch %c, b1, b2
b1:
  jump b2
b2:
  branch %d, b2, b3
b3:
  return`, "b2 is a header with 2 entering and 1 back edges"},
}
