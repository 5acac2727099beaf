package ndarg

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sbinet/npyio"
	"github.com/stretchr/testify/require"
)

func contents(t *testing.T, spec string) []byte {
	t.Helper()
	a, err := Parse(spec)
	require.NoError(t, err, spec)
	b, err := a.New()
	require.NoError(t, err, spec)
	return b
}

func uints(b []byte) (out []uint32) {
	for ; len(b) >= 4; b = b[4:] {
		out = append(out, binary.LittleEndian.Uint32(b))
	}
	return out
}

func TestFills(t *testing.T) {
	float := math.Float32bits
	for spec, want := range map[string][]uint32{
		"b:int:3":              {0, 0, 0},
		"b:int:2:zero":         {0, 0},
		"b:int:4:index":        {0, 1, 2, 3},
		"b:int:3:index,5":      {0, 5, 10},
		"b:int:3:index,-1,10":  {10, 9, 8},
		"b:float:3:index,.5,1": {float(1), float(1.5), float(2)},
		"b:uint:2:const,0x10":  {16, 16},
		"b:float:2:const,-2.5": {float(-2.5), float(-2.5)},
		"b:float:1:const,inf":  {0x7f800000},
		"b:int3:1:const,7":     {7, 7, 7, 7},
		"b:uchar:8:str,abc":    {0x61636261, 0x62616362},
		"b:uchar:4:str,a:b":    {0x61623a61},
		"b:ushort2:1:index,2":  {2 << 16},
		"b:half:2:const,1":     {0x3c003c00},
		"b:long:1:const,-1":    {0xffffffff, 0xffffffff},
		"b:int:2*2:const,1":    {1, 1, 1, 1},
		"b:int:1:const,1:rq":   {1},
		"b:int:1::q":           {0},
		"b:int:1:q":            {0},
	} {
		require.Equal(t, want, uints(contents(t, spec)), spec)
	}
	require.Len(t, contents(t, "b:char:2k"), 2048)
	require.Len(t, contents(t, "b:char:1m"), 1<<20)
}

// TestResetOverwrites checks that a reset restores the initial contents after any run.
func TestResetOverwrites(t *testing.T) {
	for _, spec := range []string{
		"b:int:4", "b:int:4:q", "b:int:4:zero", "b:int:4:index", "b:int:4:const,3", "b:int:4:rand,1", "b:int:4:str,abc", "image2d:r,int32:2x2",
	} {
		a, err := Parse(spec)
		require.NoError(t, err, spec)
		first, err := a.New()
		require.NoError(t, err, spec)
		b := bytes.Repeat([]byte{0xA5}, a.Bytes)
		require.NoError(t, a.Reset(b), spec)
		require.Equal(t, first, b, spec)
	}
}

// TestRandom compares with numbers computed independently from the definition.
func TestRandom(t *testing.T) {
	state, draws := uint64(42), []uint32{}
	for range 6 {
		state = state*6364136223846793005 + 1442695040888963407
		draws = append(draws, uint32(state>>32))
	}
	require.Equal(t, draws[:3], uints(contents(t, "b:uint:3:rand,42")))
	require.Equal(t, []uint32{draws[1], draws[0], draws[3], draws[2]}, uints(contents(t, "b:ulong:2:rand,42")))
	require.Equal(t, []byte{byte(draws[0]), byte(draws[1])}, contents(t, "b:uchar:2:rand,42"))
	require.Equal(t, []uint32{10 + draws[0]%11 - 15, 10 + draws[1]%11 - 15}, uints(contents(t, "b:int:2:rand,42,-5,5")))
	require.Equal(t, []uint32{
		math.Float32bits(float32(float64(draws[0]>>8) / (1 << 24))), math.Float32bits(float32(float64(draws[1]>>8) / (1 << 24))),
	}, uints(contents(t, "b:float:2:rand,42")))
	require.Equal(t, math.Float32bits(float32(-2+5*(float64(draws[0]>>8)/(1<<24)))), uints(contents(t, "b:float:1:rand,42,-2,3"))[0])
	require.Equal(t, -2+5*(float64(draws[0])/(1<<32)), math.Float64frombits(binary.LittleEndian.Uint64(contents(t, "b:double:1:rand,42,-2,3"))))
	require.Len(t, uints(contents(t, "b:int:4:rand,1,-2147483648,2147483647")), 4)
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	raw := filepath.Join(dir, "raw.bin")
	require.NoError(t, os.WriteFile(raw, []byte{1, 0, 0, 0, 2, 0, 0, 0}, 0o666))
	require.Equal(t, []uint32{1, 2, 0}, uints(contents(t, "b:uint:3:file,"+raw)))
	require.Equal(t, []uint32{1}, uints(contents(t, "b:uint:1:file,"+raw+":q")))

	huge := filepath.Join(dir, "huge.npy")
	require.NoError(t, os.WriteFile(huge, []byte("\x93NUMPY\x02\x00\xf0\xff\xff\xff{'descr': '<i4'"), 0o666))
	a, err := Parse("b:int:1:file," + huge)
	require.NoError(t, err)
	_, err = a.New()
	require.ErrorContains(t, err, "the header claims 4294967280 bytes; at most 65535 are supported")
	var npy bytes.Buffer
	require.NoError(t, npyio.Write(&npy, []int32{5, 6, 7}))
	path := filepath.Join(dir, "a.npy")
	require.NoError(t, os.WriteFile(path, npy.Bytes(), 0o666))
	require.Equal(t, []uint32{5, 6, 7}, uints(contents(t, "b:int:3:file,"+path)))
	for spec, want := range map[string]string{
		"b:double:3:file," + path:                     "do not fit double",
		"b:int:3:file," + filepath.Join(dir, "none"):  "no such file",
		"b:int:1:file," + filepath.Join(dir, "e.bin"): "empty",
		"b:int:1:file," + raw + ".npy":                "",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "e.bin"), nil, 0o666))
		require.NoError(t, os.WriteFile(raw+".npy", []byte("not numpy"), 0o666))
		a, err := Parse(spec)
		require.NoError(t, err)
		_, err = a.New()
		require.ErrorContains(t, err, want)
	}
}

func TestValues(t *testing.T) {
	for spec, want := range map[string][]byte{
		"int:-2":           {0xfe, 0xff, 0xff, 0xff},
		"uchar:-1":         {255},
		"char:255":         {255},
		"uint:0xffffffff":  {0xff, 0xff, 0xff, 0xff},
		"ulong:1":          {1, 0, 0, 0, 0, 0, 0, 0},
		"float:1":          {0, 0, 0x80, 0x3f},
		"half:1.0":         {0, 0x3c},
		"uchar4:1,2,3,4":   {1, 2, 3, 4},
		"uchar3:1,2,3":     {1, 2, 3, 0},
		"bytes:01_fF,00":   {1, 255, 0},
		"short2:7":         {7, 0, 7, 0},
		"double:0x1p-1074": {1, 0, 0, 0, 0, 0, 0, 0},
		"float:1e99":       {0, 0, 0x80, 0x7f},
	} {
		a, err := Parse(spec)
		require.NoError(t, err, spec)
		require.Equal(t, Value, a.Kind)
		require.Equal(t, want, a.Value, spec)
	}
	a, err := Parse("local:4*16")
	require.NoError(t, err)
	require.Equal(t, 64, a.Bytes)
	require.Equal(t, Local, a.Kind)
}

func TestNull(t *testing.T) {
	a, err := Parse("null")
	require.NoError(t, err)
	require.Equal(t, Arg{Spec: "null", Kind: Buffer, Null: true}, a)
	b, err := a.New()
	require.NoError(t, err)
	require.Nil(t, b)
}

func TestRawErrors(t *testing.T) {
	for _, spec := range []string{"bytes:", "bytes:1", "bytes:xy", "bytes"} {
		_, err := Parse(spec)
		require.Error(t, err, spec)
	}
}

func TestErrors(t *testing.T) {
	for spec, want := range map[string]string{
		"":                            "want b:TYPE:COUNT",
		"b:int":                       "want b:TYPE:COUNT",
		"b:foo:3":                     "unknown type",
		"int5:1,2,3,4,5":              "2, 3, 4, 8 or 16",
		"b:int:":                      "bad count",
		"b:int:x":                     "bad count",
		"b:int:-1":                    "bad count",
		"b:int:0":                     "1 to 2130706432 bytes",
		"b:int:1m*1m*1m*1m":           "too large",
		"b:int:4611686018427387904k":  "too large",
		"b:int:99999999999999999999":  "too large",
		"b:int:4294967296*1073741824": "1 to 2130706432 bytes",
		"b:int:4m*1k":                 "1 to 2130706432 bytes",
		"b:int:1:ramp":                "unknown fill",
		"b:int:1:zero:x":              "unknown flag",
		"b:int:1:index,1,2,3":         "want index",
		"b:int:1:const":               "want const",
		"b:int:1:const,x":             "not an integer",
		"b:float:1:const,x":           "not a number",
		"b:int:1:rand":                "want rand",
		"b:int:1:rand,1,2":            "want rand",
		"b:int:1:rand,1,2,3,4":        "want rand",
		"b:int:1:rand,1,5,4":          "the low bound is above the high one",
		"b:float:1:rand,1,2,1":        "the low bound is above the high one",
		"b:int:1:file":                "want file,PATH",
		"b:int:1:str,":                "want str,TEXT",
		"int4:1,2":                    "has 4 components, not 2",
		"int:":                        "not an integer",
		"int:99999999999":             "99999999999 does not fit int",
		"uchar:-129":                  "-129 does not fit uchar",
		"uchar:300":                   "300 does not fit uchar",
		"char2:1,256":                 "256 does not fit char",
		"local:0":                     "local memory of 0 bytes",
		"local:x":                     "bad count",
	} {
		_, err := Parse(spec)
		require.ErrorContains(t, err, want, spec)
	}
	_, err := ParseArgs([]string{"int:1", "what"})
	require.ErrorContains(t, err, `argument 1 "what"`)
}

func TestDims(t *testing.T) {
	d, err := ParseDims("1024*2,3,4k")
	require.NoError(t, err)
	require.Equal(t, []uint64{2048, 3, 4096}, d)
	for _, bad := range []string{"", "1,", "a", "1,2,3,4", "-1", "1.5"} {
		_, err := ParseDims(bad)
		require.Error(t, err, bad)
	}
	_, err = ParseDims("1,18446744073709551616")
	require.EqualError(t, err, `"18446744073709551616" is too large`)
}

func TestSummaries(t *testing.T) {
	s := Summarize(contents(t, "b:float:4:index,1,-1"), Float)
	require.Equal(t, Summary{FNV: Hash(contents(t, "b:float:4:index,1,-1")), Sum: 2, Min: -1, Max: 2}, s)
	require.Equal(t, "cbf29ce484222325", FormatHash(Hash(nil)), "the offset basis")
	require.Equal(t, "85944171f73967e8", FormatHash(Hash([]byte("foobar"))), "Fowler, Noll and Vo's own test")
	require.Equal(t, -3.0, Summarize(contents(t, "b:char:3:const,-1"), Char).Sum)
	require.Equal(t, 765.0, Summarize(contents(t, "b:uchar:3:const,-1"), UChar).Sum)
	require.Equal(t, 1.5, Summarize(contents(t, "b:half:1:const,1.5"), Half).Sum)
}

func TestDifferences(t *testing.T) {
	same := func(a, b []byte, e Elem) {
		_, differs := Difference(a, b, e)
		require.False(t, differs)
	}
	nan1, nan2 := []byte{0, 0, 0xc0, 0x7f}, []byte{1, 0, 0xc0, 0xff}
	same(nan1, nan2, Float)
	same([]byte{1, 2}, []byte{1, 2}, Char)
	at, differs := Difference(nan1, nan2, Int)
	require.True(t, differs)
	require.Zero(t, at)
	at, differs = Difference([]byte{0, 0, 0, 0, 0, 0, 0, 0x80}, make([]byte, 8), Float)
	require.True(t, differs, "-0 is not 0")
	require.Equal(t, 1, at)
	_, differs = Difference(nan1, nan1[:2], Float)
	require.True(t, differs)
}

// TestLargeBuffer checks that buffers of many pages have the same initial contents as
// small ones.
func TestLargeBuffer(t *testing.T) {
	const n = 3<<20 + 5
	a, err := Parse(fmt.Sprintf("b:uint:%d:index,3", n))
	require.NoError(t, err)
	b, err := a.New()
	require.NoError(t, err)
	require.Len(t, b, 4*n)
	for i := 0; i < n; i += 4099 {
		require.Equal(t, uint32(3*i), binary.LittleEndian.Uint32(b[4*i:]))
	}
	require.Equal(t, uint32(3*(n-1)), binary.LittleEndian.Uint32(b[4*(n-1):]))
}
