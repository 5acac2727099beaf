package simtc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// The graph of kernel IR is shown as written: passes would turn its branches into selects.
func TestDivergenceOfIRIsAsWritten(t *testing.T) {
	const hidden = `kernel hidden {
  arg p buffer ptr.global int 1 "int*"
  arg n scalar i32 int 1 "int"
b0:
  %p = arg.ptr.global 0
  %n = arg.i32 1
  %id = globalid 0
  %off = shl.i64 %id, 2
  %at = ptradd.ptr.global %p, %off
  %x = load.i32 %at align 4
  %c = slt.i32 0, %x
  branch %c, b1, b2(1)
b1:
  %u = slt.i32 5, %n
  branch %u, b2(2), b3(3)
b2(%hidden: i32):
  jump b3(%hidden)
b3(%phi: i32):
  store.i32 %at, %phi align 4
  return
}
`
	p := compile(t, hidden, simtc.Options{File: "hidden.simt"})
	text, err := p.Emit("divergence")
	require.NoError(t, err)
	require.Regexp(t, `b2\(%\d+: i32\):  ; divergent join, %\d+ varying`, string(text))
	require.Regexp(t, `b3\(%\d+: i32\):  ; divergent join, %\d+ varying`, string(text))
	require.Contains(t, string(text), "; divergent\n")
}

// The analysis of loops with their iterations as lanes.
func TestEmitLoops(t *testing.T) {
	p := compile(t, `
__kernel void f(__global float *a, int n) {
  for (int i = 0; i < n; i++)
    for (int len = 1; len * 2 < n; len *= 2)
      a[i] += a[i + len];
}`, simtc.Options{})
	text, err := p.Emit("loops")
	require.NoError(t, err)
	require.Regexp(t, `iterations of this loop are lanes, %i\.\d+ contiguous`, string(text))
	require.Regexp(t, `%len\.\d+: i32\):  ; %len\.\d+ uniform`, string(text))
	none := compile(t, "__kernel void f(__global float *a) { *a = 1; }", simtc.Options{})
	text, err = none.Emit("loops")
	require.NoError(t, err)
	require.Contains(t, string(text), "no loop")
}

// Queries about a shown kernel describe the code that is shown, not the code that runs, which
// depends on the overlap of buffers.
func TestShownDescribesEmittedCode(t *testing.T) {
	const source = `
__kernel void f(__global float *a, __global const float *b) {
  int i = get_global_id(0);
  a[8 * i] = b[8 * i] * 2;
  a[8 * i + 1] = b[8 * i + 1] + 1;
}`
	for _, noAlias := range []bool{false, true} {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, NoAlias: noAlias})
		k, err := p.Kernel("f")
		require.NoError(t, err)
		told := func(kind string) (stats map[string]int, strided int) {
			shown, err := k.Shown(kind)
			require.NoError(t, err)
			stats, err = shown.Stats()
			require.NoError(t, err)
			rs, err := simtc.RemarksOf([]*simtc.Kernel{shown})
			require.NoError(t, err)
			for _, r := range rs {
				if r.Kind == "strided" && !strings.Contains(r.Text, "under any mask") {
					strided++
				}
			}
			return stats, strided
		}
		stats, strided := told("asm")
		if noAlias {
			require.NotZero(t, stats["interleaved under masks"])
			require.Zero(t, strided)
		} else {
			require.Zero(t, stats["interleaved under masks"])
			require.NotZero(t, strided)
		}
		stats, strided = told("vir")
		require.NotZero(t, stats["interleaved under masks"])
		require.Zero(t, strided)
		_, err = k.Shown("asn")
		require.ErrorContains(t, err, `unknown emit kind "asn": want one of ast, kernel,`)
	}
}

// Buffers of restrict pointers and of constant memory do not overlap in emitted code either: loads
// of the same element for all work-items leave the loop over them.
func TestEmittedCodeKnowsRestrict(t *testing.T) {
	const source = `
__kernel void f(__global float *RESTRICT a, SPACE const float *RESTRICT w) {
  int i = get_global_id(0);
  a[i] = a[i] * w[0] + w[1];
}`
	for replaced, hoisted := range map[[2]string]bool{
		{"", "__global"}: false, {"", "__constant"}: false, {"restrict", "__global"}: true, {"restrict", "__constant"}: true,
	} {
		text := strings.NewReplacer("RESTRICT", replaced[0], "SPACE", replaced[1]).Replace(source)
		p := compile(t, text, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}})
		k, err := p.Kernel("f")
		require.NoError(t, err)
		shown, err := k.Shown("asm")
		require.NoError(t, err)
		code, err := p.Emit("asm")
		require.NoError(t, err)
		stats, err := shown.Stats()
		require.NoError(t, err)
		broadcasts := map[bool]int{false: 2, true: 1}[hoisted] // one in the last strip
		require.Equal(t, hoisted, stats["hoisted"] > 0, "%v %v", replaced, stats)
		require.Equal(t, broadcasts, strings.Count(string(code), "{1to16}"), "%v\n%s", replaced, code)
	}
}

// Names may contain $, which Go does not allow: Go assembly has _ instead. The text of the IR can
// be parsed again.
func TestEmitDollar(t *testing.T) {
	p := compile(t, "__kernel void f$1(__global float *val$a) { *val$a = 1; }", simtc.Options{})
	text, err := p.Emit("goasm")
	require.NoError(t, err)
	require.Contains(t, string(text), "TEXT ·f_1(SB)")
	require.NotContains(t, string(text), "f$1")
	text, err = p.Emit("kernel")
	require.NoError(t, err)
	again := compile(t, string(text), simtc.Options{File: "f.simt"})
	_, err = again.Kernel("f$1")
	require.NoError(t, err)
}

// The graph of a kernel shows the parameters of blocks and a legend.
func TestEmitDot(t *testing.T) {
	p, err := simtc.Compile(`kernel void k(global int *p) {
  int i = get_global_id(0), n = 0;
  while (n < p[i]) n += 2;
  p[i] = n;
}`, simtc.Options{})
	require.NoError(t, err)
	defer p.Close()
	dot, err := p.Emit("dot")
	text := string(dot)
	require.NoError(t, err)
	require.Regexp(t, `label="b\d+\.loop\(%n\.\d+: i32\):\\l`, text)
	require.Contains(t, text, `[label="ends in a divergent branch", color=red]`)
	require.Contains(t, text, `[label="lanes may reconverge here", color=blue]`)
	require.Equal(t, 2, strings.Count(text, "color=red"))
}
