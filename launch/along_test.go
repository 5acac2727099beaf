package launch

import (
	"context"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestUnitsAlongOtherDimensions checks that the units that versions with lanes along different
// dimensions share contain every work-item once, in groups of the right sizes.
func TestUnitsAlongOtherDimensions(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	groups, several := 0, 0
	for range 300 {
		r := Range{Dims: 3, Offset: [3]uint64{1, 20, 300}}
		for d := range 3 {
			r.Global[d] = uint64(1 + random.Intn([]int{70, 40, 9}[d]))
			r.Local[d] = uint64(1 + random.Intn(8))
		}
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		p := Program{Kernel: &kernel.Func{}, Width: 8, Groups: random.Intn(2) == 0, LaneDim: random.Intn(3)}
		to, length := random.Intn(3), uint64(random.Intn(3)*8)
		units, of := p.divide(r.exchanged(p.LaneDim), 1, uint64(1+random.Intn(20)), true), r.exchanged(to)
		seen := map[[3]uint64]int{}
		for i := range units.total {
			next := parts(units.unit(i).along(&p, &Program{LaneDim: to}, of), length)
			n := 0
			for x, ok := next(); ok; x, ok = next() {
				n++
				box := [3]uint64{x.count, x.rows, 1}
				require.True(t, length == 0 || p.Groups || x.count <= length)
				if p.Groups {
					groups++
					box = [3]uint64{x.groups * x.size[0], x.size[1], x.size[2]}
				}
				for k := range box[0] * box[1] * box[2] {
					at := [3]uint64{x.start[0] + k%box[0], x.start[1] + k/box[0]%box[1], x.start[2] + k/box[0]/box[1]}
					if p.Groups {
						group := at[0]/of.Local[0] - x.group[0]
						require.Less(t, group, x.groups)
						for d := range 3 {
							first := at[d] / of.Local[d] * of.Local[d]
							require.Equal(t, min(of.Local[d], of.Global[d]-first), x.size[d])
						}
					}
					exchange(&at, to)
					seen[at]++
				}
			}
			if n > 1 {
				several++
			}
		}
		require.Len(t, seen, int(r.Global[0]*r.Global[1]*r.Global[2]))
		for at, n := range seen {
			require.Equal(t, 1, n, "work-item %v of %+v", at, r)
		}
	}
	require.Positive(t, groups)
	require.Positive(t, several)
}

// TestJoinedRows checks that a kernel whose rows are joined computes the same over the joined range.
func TestJoinedRows(t *testing.T) {
	const source = `kernel k {
  arg out buffer ptr.global long 1 "__global long *"
b0.entry:
  %0 = globalid 0
  %1 = globalid 1
  %2 = globalid 2
  %3 = globaloffset 0
  %4 = globaloffset 1
  %5 = globalsize 0
  %6 = globalsize 1
  %7 = localid 0
  %8 = localid 1
  %9 = localsize 0
  %10 = localsize 1
  %11 = groupid 0
  %12 = groupid 1
  %13 = numgroups 0
  %14 = numgroups 1
  %15 = sub.i64 %0, %3
  %16 = sub.i64 %1, %4
  %17 = mul.i64 %2, %6
  %18 = add.i64 %17, %16
  %19 = mul.i64 %18, %5
  %20 = add.i64 %19, %15
  %21 = mul.i64 %7, 3
  %22 = add.i64 %21, %8
  %23 = mul.i64 %22, 31
  %24 = add.i64 %23, %9
  %25 = mul.i64 %24, 31
  %26 = add.i64 %25, %10
  %27 = mul.i64 %26, 31
  %28 = add.i64 %27, %11
  %29 = mul.i64 %28, 31
  %30 = add.i64 %29, %12
  %31 = mul.i64 %30, 31
  %32 = add.i64 %31, %13
  %33 = mul.i64 %32, 31
  %34 = add.i64 %33, %14
  %35 = add.i64 %34, %0
  %36 = mul.i64 %35, 31
  %37 = add.i64 %36, %1
  %38 = arg.ptr.global 0
  %39 = shl.i64 %20, 3
  %40 = ptradd.ptr.global %38, %39
  store.i64 %40, %37 align 8
  return
}
`
	m, err := kernel.Parse("k.simt", source)
	require.NoError(t, err)
	for r, depth := range map[Range]int{
		Of(8, 6, 2).WithLocal(4, 3, 2):                  1,
		Of(8, 6, 4).WithLocal(4, 3, 2).WithOffset(3, 5): 2,
		Of(15, 4, 3).WithLocal(5, 2, 3):                 3,
		Of(16, 8).WithLocal(2, 4).WithOffset(3, 50):     1,
		Of(8, 8).WithLocal(8, 8):                        1,
	} {
		want := make([]byte, 8*r.items())
		require.NoError(t, NewInterpreter(m.Funcs[0], 0, false).Launch(context.Background(), r, []Arg{Buffer(want)}, 1))
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		f := kernel.Joined(m.Funcs[0], [3]int{int(r.Local[0]), int(r.Local[1]), depth})
		require.NoError(t, kernel.Verify(f))
		joined := (&Program{Joined: f.Joined}).of(r)
		require.Equal(t, r.items(), joined.items())
		got := make([]byte, len(want))
		require.NoError(t, NewInterpreter(f, 0, false).Launch(context.Background(), joined, []Arg{Buffer(got)}, 1))
		require.Equal(t, want, got, "%+v", r)

		// A version with joined rows runs the groups of a unit of another version, and the reverse.
		p, one := Program{Kernel: f, Width: 8, Groups: true, Joined: f.Joined}, Program{Kernel: f, Width: 8, Groups: true, LaneDim: 1}
		for _, of := range [][2]*Program{{&p, &one}, {&one, &p}} {
			units, to := of[0].divide(of[0].of(r), 1, 5, false), of[1].of(r)
			groups := map[[3]uint64]int{}
			for i := range units.total {
				next := units.unit(i).along(of[0], of[1], to)
				for x, ok := next(); ok; x, ok = next() {
					require.Equal(t, to.Local, x.size)
					for g := range x.groups {
						at := [3]uint64{x.group[0] + g, x.group[1], x.group[2]}
						exchange(&at, of[1].LaneDim)
						groups[at]++
					}
				}
			}
			require.Len(t, groups, int(r.items()/(r.Local[0]*r.Local[1]*r.Local[2])))
			for at, n := range groups {
				require.Equal(t, 1, n, "group %v", at)
			}
		}
	}
}
