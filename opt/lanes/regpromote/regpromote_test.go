package regpromote_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/regpromote"
	"github.com/simtc/simtc/utest/canonical"
)

const counter = "memory locations kept in registers in loops"

// TestGoldens prints kernels for buffers that do not overlap.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before, stats := f.String(), opt.Stats{}
		made := regpromote.Promote(f, f.Buffers(), stats)
		require.Equal(t, before, f.String(), "Promote must not modify its argument")
		if made == f {
			require.Empty(t, stats)
			return map[string]string{"promoted.simt": "no\n"}
		}
		require.NotZero(t, stats[counter])
		require.NoError(t, kernel.Verify(made))
		return map[string]string{"promoted.simt": made.String()}
	})
}

// randomLoop writes a kernel that updates a location in a loop, and accesses others.
func randomLoop(r *rand.Rand) string {
	pick := func(s ...string) string { return s[r.Intn(len(s))] }
	head := pick("for (int k = 0; k < n; k++) {", "for (int k = n; k > 0; k--) {", "for (int k = 0; k < 4; k++) {",
		"for (int j = 0; j < 3; j++) for (int k = 0; k < n; k++) {", "int k = 0; do {", "int k = n; while (k-- > 0) {")
	tail := "}"
	if strings.HasPrefix(head, "int k = 0; do") {
		tail = "k++; } while (k < n);"
	}
	cells := []string{"out[i]", "out[i]", "part[l]", "own[i & 3]", "out[i * 2 & 31]", "records[i].y", "vectors[i]", "*(global int *)&vectors[i]"}
	var body []string
	for range 1 + r.Intn(3) {
		c := cells[r.Intn(len(cells))]
		other := pick("in[k & 31]", "in[i]", "k", "out[k & 31]", "out[i + 1 & 31]", "part[k & 7]", "own[k & 3]", "records[i].x", "vectors[k & 31].y", "records[k & 31].y")
		update := pick("C += O;", "C = C * 3 + O;", "if (O & 1) C += 1;", "C ^= O; C += k;", "C = O;", "if (O > 5) C = O; else C = 1;", "records[i].x += C;", "if (O == 77) break; C += O;")
		if c == "vectors[i]" {
			update = pick("C += O;", "C.x = O; C.y += C.x;")
		}
		body = append(body, strings.NewReplacer("C", c, "O", other).Replace(update))
	}
	return fmt.Sprintf(`
typedef struct { int x, y; } record;
kernel void k(global int *out, global const int *in, global record *records, global int2 *vectors, int n)
{
  local int part[8];
  int own[4] = {1, 2, 3, 4};
  int i = get_global_id(0), l = get_local_id(0);
  part[l] = i;
  if (i > %d) {
    %s
      %s
    %s
  }
  out[i] += part[l] + own[0] + own[1] * 3 + own[2] * 5 + own[3] * 7;
}
`, r.Intn(20)-10, head, strings.Join(body, "\n      "), tail)
}

// TestPromotedLoopsMeanTheSame compares results of one work-item at a time, for buffers that are distinct and, if that is
// allowed for, for those that overlap.
func TestPromotedLoopsMeanTheSame(t *testing.T) {
	cases := 3000
	if testing.Short() {
		cases = 300
	}
	promoted := map[bool]int{} // by whether buffers may overlap
	for seed := range cases {
		r := rand.New(rand.NewSource(int64(seed)))
		text := randomLoop(r)
		f := canonical.Kernel(t, map[string]string{"in.cl": text})
		overlap := seed%2 == 0
		disjoint := f.Buffers()
		if overlap {
			disjoint = nil
		}
		stats := opt.Stats{}
		made := regpromote.Promote(f, disjoint, stats)
		if made == f {
			continue
		}
		promoted[overlap]++
		require.NoError(t, kernel.Verify(made), "seed %d\n%s", seed, text)
		contents := make([]byte, 1024)
		for i := 0; i < len(contents); i += 4 {
			binary.LittleEndian.PutUint32(contents[i:], uint32(r.Intn(100)))
		}
		n := binary.LittleEndian.AppendUint32(nil, uint32(r.Intn(6)))
		at := [4]int{0, 128, 256, 512}
		if overlap && r.Intn(2) == 0 {
			at = [4]int{0, 4 * r.Intn(8), 8 * r.Intn(8), 8 * r.Intn(8)}
		}
		run := func(f *kernel.Func) []byte {
			memory := append([]byte(nil), contents...)
			args := []launch.Arg{}
			for i, size := range []int{128, 128, 256, 256} {
				args = append(args, launch.Buffer(memory[at[i]:at[i]+size]))
			}
			// Work-items of a group run one after the other, as there are no barriers.
			require.NoError(t, launch.NewInterpreter(f, 0, false).Launch(context.Background(), launch.Of(32).WithLocal(8), append(args, launch.Bytes(n)), 1), "seed %d\n%s", seed, text)
			return memory
		}
		require.Equal(t, run(f), run(made), "seed %d, overlap %v\n%s\n%s", seed, overlap, text, made)
	}
	require.Greater(t, promoted[false], 100)
	require.Greater(t, promoted[true], 50)
}
