package pipeline

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch"
)

// Plans know the arguments that bound loops, rounded, but not those between which loops run, and not
// those that bound no loop.
func TestValuesOfArguments(t *testing.T) {
	k := compile(t, `kernel void k(global float *o, int n, int from, int to, uint scale, float factor, short m) {
	int i = get_global_id(0);
	float s = 0;
	for (int j = 0; j < n * m; j++)
		s = s * factor + o[j];
	for (int j = from; j < to; j++)
		s += o[j] * scale;
	if (i < to)
		o[i] = s;
}`, testOptions{Strategy: Strategy{Target: VIR}})[0]
	_, err := k.shared.prepared()
	require.NoError(t, err)
	given := func(n int32, m int16) map[int]uint64 {
		word := func(x uint32) launch.Arg { return launch.Bytes(binary.LittleEndian.AppendUint32(nil, x)) }
		args := []launch.Arg{launch.Buffer(make([]byte, 4)), word(uint32(n)), word(10), word(20), word(3), word(0), launch.Bytes(binary.LittleEndian.AppendUint16(nil, uint16(m)))}
		return k.shared.valuesFor(args).byOffset()
	}
	at := func(name string) int {
		for _, a := range k.shared.raw.Args {
			if a.Name == name {
				return a.Offset
			}
		}
		return -1
	}
	require.Equal(t, map[int]uint64{at("n"): 7, at("m"): 16}, given(7, 23))
	require.Equal(t, map[int]uint64{at("n"): 128, at("m"): 32}, given(100, 25))
	require.Equal(t, map[int]uint64{at("n"): 1 << 30, at("m"): ^uint64(2)}, given(1<<31-1, -3))
	require.Equal(t, map[int]uint64{at("m"): 0}, given(-100, 0))
}
