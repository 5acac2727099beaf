package iterations_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/utest/canonical"
)

// TestCountsExits checks the trip counts of loops that start and end at all edges of their types:
// those that never end must not end either.
func TestCountsExits(t *testing.T) {
	limits := []uint64{
		0, 1, 3, 5, 9, 1<<31 - 4, 1<<31 - 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<31 + 7, 1<<32 - 3, 1<<32 - 2, 1<<32 - 1,
		1 << 32, 1<<32 + 2, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<64 - 1<<31 - 2, 1<<64 - 1<<31 - 1, 1<<64 - 1<<31, 1<<64 - 3, 1<<64 - 1,
	}
	for _, c := range []struct {
		types []string // of the counter and the limit
		loops []string
	}{
		{[]string{"int", "uint"}, []string{
			"i < n; i++", "i <= n; i++", "i > n; i--", "i >= n; i--", "i != n; i++", "i != n; i--", "i++ < n;", "i-- != n;",
			"i < n && i != 5; i++", "!(i >= n || i == 9); i++", "i >= n && i > 2; i--", "i <= n && i <= 7; i++",
		}},
		{[]string{"int"}, []string{
			"i < (long)n2; i++", "i <= (long)n2; i++", "i > (long)n2; i--", "i >= (long)n2; i--",
		}},
		{[]string{"uint"}, []string{
			"i < (ulong)n2; i++", "i <= (ulong)n2; i++", "i > (ulong)n2; i--", "i >= (ulong)n2; i--",
		}},
		{[]string{"long", "ulong"}, []string{"i < n && i != 5; i++", "i > n; i--", "i >= n; i--", "i != n; i++"}},
	} {
		counted := 0
		for _, of := range c.types {
			for _, loop := range c.loops {
				for _, start := range []string{"0", "6", "0x7ffffffa", "0x80000003", "0xfffffffc"} {
					f := canonical.Kernel(t, map[string]string{"in.cl": fmt.Sprintf(`kernel void k(global ulong *out, %s n, ulong n2) {
	ulong c = 0;
	%[1]s i;
	for (i = (%[1]s)%s; %s) c = c * 3 + (ulong)i;
	out[0] = c;
	out[1] = i;
}`, of, start, loop)})
					g := kernel.Clone(f)
					if len(iterations.CountExits(g)) == 0 {
						continue
					}
					counted++
					require.NoError(t, kernel.Verify(g), "%s\n%s", loop, g)
					for _, limit := range limits {
						canonical.SameMeaning(t, f, g, limit)
					}
				}
			}
		}
		require.GreaterOrEqual(t, counted, 2*len(c.types)*len(c.loops))
	}
}

// TestCountsAddresses checks loops whose counters are addresses.
func TestCountsAddresses(t *testing.T) {
	for _, loop := range []string{"for (; p < e; p++)", "for (; p != e; p++)", "while (e-- != p)", "for (; p < e; p += 2)"} {
		f := canonical.Kernel(t, map[string]string{"in.cl": `kernel void k(global int *p, global int *out, uint n) {
	global int *e = p + (n & 15), *q = p;
	int c = 1;
	` + loop + ` c = c * 3 + (int)(p - q);
	out[0] = c;
}`})
		g := kernel.Clone(f)
		require.Len(t, iterations.CountExits(g), 1, loop)
		require.NoError(t, kernel.Verify(g), "%s\n%s", loop, g)
		for n := range uint64(16) {
			canonical.SameMeaning(t, f, g, n)
		}
	}
}

// TestCountsLoopsTestedAtTheEnd does the same for do-while loops, whose first iteration always runs.
func TestCountsLoopsTestedAtTheEnd(t *testing.T) {
	limits := []uint64{0, 1, 3, 6, 7, 9, 1<<31 - 4, 1<<31 - 1, 1 << 31, 1<<31 + 7, 1<<32 - 3, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1<<64 - 3, 1<<64 - 1}
	for _, typ := range []string{"int", "uint", "long", "ulong"} {
		for _, loop := range []string{
			"i++; } while (i < n)", "} while (++i < n)", "} while (i++ < n)", "i++; } while (i <= n)", "} while (--i > n)", "} while (i-- > n)",
			"} while (++i != n)", "} while (--i != n)", "} while (i-- != n)", "i++; } while (i < n && i != 9)", "} while (--i >= n)",
		} {
			for _, start := range []string{"0", "6", "0x7ffffffa", "0x80000003", "0xfffffffc"} {
				f := canonical.Kernel(t, map[string]string{"in.cl": fmt.Sprintf(`kernel void k(global ulong *out, %s n) {
	ulong c = 0;
	%[1]s i = (%[1]s)%s;
	do { c = c * 3 + (ulong)i; %s;
	out[0] = c;
	out[1] = i;
}`, typ, start, loop)})
				g := kernel.Clone(f)
				require.Len(t, iterations.CountExits(g), 1, "%s %s\n%s", typ, loop, f)
				require.NoError(t, kernel.Verify(g), "%s\n%s", loop, g)
				for _, limit := range limits {
					canonical.SameMeaning(t, f, g, limit)
				}
			}
		}
	}
}
