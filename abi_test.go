package simtc_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/vir"
)

// Callers of an object, a listing or a module find the memory that its kernels need, and how
// they run, in it.
func TestCodeDescribesItsABI(t *testing.T) {
	const source = `
__kernel void plain(__global int *o) { o[get_global_id(0)] = 1; }
__kernel void array(__global const int *a, __global int *o, int n) {
  int i = get_global_id(0);
  int v[4096];
  for (int k = 0; k < n; k++) v[(k * 37 + a[i]) & 4095] = k;
  int s = 0;
  for (int k = 0; k < n; k++) s += v[(k * 11) & 4095];
  o[i] = s;
}
__kernel void shared(__global int *o, int n) {
  __local int part[300];
  int l = get_local_id(0), kept[3];
  for (int k = 0; k < 3; k++) kept[k] = o[l + k];
  part[l] = l;
  barrier(CLK_LOCAL_MEM_FENCE);
  o[get_global_id(0)] = part[n] + kept[n % 3];
}
__kernel void rare(__global const float *in, __global float *out) {
  int i = get_global_id(0);
  float x = in[i];
  uint h = as_uint(x) * 2654435761u;
  if (h >> 22 == 0)
    for (int k = 0; k < 100; k++)
      x = native_sin(x) + 1.0f;
  out[i] = x;
}`
	ints := func(spill, private, local, groups, phases, defers int) map[string]int {
		return map[string]int{
			"width": 16, "x86_64_level": 4, "spill_bytes": spill, "private_bytes": private, "local_bytes": local,
			"groups": groups, "lane_dim": 0, "phases": phases, "defers": defers,
		}
	}
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Linearizer: simtc.Partial, Width: 16, Divergence: simtc.Defer}})
	object, err := p.Emit("obj")
	require.NoError(t, err)
	file, err := elf.NewFile(bytes.NewReader(object))
	require.NoError(t, err)
	symbols, err := file.Symbols()
	require.NoError(t, err)
	numbers, err := file.Section(".rodata").Data()
	require.NoError(t, err)
	listing, err := p.Emit("asm")
	require.NoError(t, err)
	module, err := p.Emit("wasm")
	require.NoError(t, err)
	wat, err := p.Emit("wat")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(wat), `;; custom section "simtc": `)
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n")
	require.Contains(t, string(module), section)
	var told map[string]map[string]int
	require.NoError(t, json.Unmarshal([]byte(section), &told))

	for _, k := range p.Kernels() {
		t.Run(k.Name(), func(t *testing.T) {
			native, err := k.Shown("asm")
			require.NoError(t, err)
			abi, err := native.ABI()
			require.NoError(t, err)
			text, err := k.Emit("vir")
			require.NoError(t, err)
			f, err := vir.Parse("k.vir", string(text))
			require.NoError(t, err)
			private := max(f.Scratch, vir.MinPrivate)
			switch spill := abi["spill_bytes"]; k.Name() {
			case "plain":
				require.Equal(t, ints(spill, 64, 0, 0, 0, 0), abi)
			case "array":
				require.GreaterOrEqual(t, private, 16*4096*4)
				require.Equal(t, ints(spill, private, 0, 0, 0, 0), abi)
			case "shared":
				require.Equal(t, ints(spill, private, 1200, 1, 1, 0), abi)
			case "rare":
				require.GreaterOrEqual(t, private, 8*(32<<10))
				require.Equal(t, ints(spill, private, 0, 0, 0, 1), abi)
			}
			_, header, found := strings.Cut(string(listing), fmt.Sprintf("# %s: ", k.Name()))
			require.True(t, found)
			lines := strings.Split(header, "\n")
			for field, n := range abi {
				require.Contains(t, lines[1]+" ", fmt.Sprintf(" %s %d ", field, n))
				value := -1
				for _, s := range symbols {
					if s.Name == vir.Symbol(field, k.Name()) {
						require.EqualValues(t, 8, s.Size)
						value = int(binary.LittleEndian.Uint64(numbers[s.Value:]))
					}
				}
				require.Equal(t, n, value, field)
			}
			portable, err := k.Shown("wasm")
			require.NoError(t, err)
			abi, err = portable.ABI()
			require.NoError(t, err)
			require.NotContains(t, abi, "spill_bytes")
			require.Equal(t, abi, told[k.Name()])
		})
	}
}

// A module contains the constants of the program, and the positions to which their address must
// be added; an object contains the same, which the linker relocates.
func TestCodeContainsItsConstants(t *testing.T) {
	p := compile(t, `
__constant char text[3] = "ab";
__constant double16 wide[2] = { 1.5, 2.5 };
__constant double16 *__constant second[2] = { 0, wide + 1 };
__kernel void k(__global double *o) { int i = get_global_id(0); o[i] = text[i % 3] + wide[i & 1].s3 + second[i & 1]->s2; }
__kernel void other(__global int *o) { o[0] = 1; }`, simtc.Options{})
	wat, err := p.Emit("wat")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(wat), `;; custom section "simtc.data": `)
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n")
	module, err := p.Emit("wasm")
	require.NoError(t, err)
	require.Contains(t, string(module), section)
	var data vir.Data
	require.NoError(t, json.Unmarshal([]byte(section), &data))
	require.Equal(t, 128, data.Align)
	require.Equal(t, []int{0, 8, 16, 392}, data.Addresses)
	require.Len(t, data.Bytes, 400)
	word := func(at int) int { return int(binary.LittleEndian.Uint64(data.Bytes[at:])) }
	require.Equal(t, "ab\x00", string(data.Bytes[word(0):word(0)+3]))
	require.Equal(t, 2.5, math.Float64frombits(uint64(word(word(8)+128))))
	require.Equal(t, word(8)+128, word(word(16)+8), "the address in a constant")
	require.Zero(t, word(word(16)), "a null pointer is not relocated")

	object, err := p.Emit("obj")
	require.NoError(t, err)
	file, err := elf.NewFile(bytes.NewReader(object))
	require.NoError(t, err)
	held, err := file.Section(".data.rel.ro").Data()
	require.NoError(t, err)
	require.Equal(t, data.Bytes, held)
	require.EqualValues(t, len(data.Addresses)*24, file.Section(".rela.data.rel.ro").Size)

	none := compile(t, "__kernel void k(__global int *o) { o[0] = 1; }", simtc.Options{})
	wat, err = none.Emit("wat")
	require.NoError(t, err)
	require.NotContains(t, string(wat), "simtc.data")
}
