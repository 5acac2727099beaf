package clprintf_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/clprintf"
)

// value is an argument with its memory.
type value struct {
	arg    clprintf.Arg
	memory []byte
}

func pad(b []byte) []byte {
	for len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func ints(elem string, xs ...int64) value {
	size, _ := clprintf.ElemSize(elem)
	var b []byte
	for _, x := range xs {
		b = append(b, binary.LittleEndian.AppendUint64(nil, uint64(x))[:size]...)
	}
	return value{clprintf.Arg{Elem: elem, Count: len(xs)}, pad(b)}
}

func floats(xs ...float32) value {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return value{clprintf.Arg{Elem: "float", Count: len(xs)}, pad(b)}
}

func doubles(xs ...float64) value {
	var b []byte
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return value{clprintf.Arg{Elem: "double", Count: len(xs)}, b}
}

func text(s string) value { return value{clprintf.Arg{Elem: "string", Count: 1, Text: s}, nil} }

// TestFormat checks the rules of C99 §7.19.6.1 and OpenCL C 1.2 §6.12.13. Another OpenCL
// driver prints most of these the same.
func TestFormat(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		format string
		args   []value
		want   string
	}{
		{"100%%", nil, "100%"},
		{"%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d", []value{ints("int", 7), ints("int", 7), ints("int", 7), ints("int", 7), ints("int", 7), ints("int", 7), ints("int", 7), ints("int", 7)}, "7|    7|7    |00007|+7| 7|007|     007"},
		{"%i %d", []value{ints("int", -1), ints("int", math.MinInt32)}, "-1 -2147483648"},
		{"%x %X %#x %#o %o %u %#X", []value{ints("int", 255), ints("int", 255), ints("int", 255), ints("int", 8), ints("int", 8), ints("int", -1), ints("int", 0)}, "ff FF 0xff 010 10 4294967295 0"},
		{"%08d|%-08d|%+08d|%08x|%#08x|%8.0d|%#o|%#.0o", []value{ints("int", -42), ints("int", -42), ints("int", 42), ints("int", 0xbeef), ints("int", 0xbeef), ints("int", 0), ints("int", 0), ints("int", 0)}, "-0000042|-42     |+0000042|0000beef|0x00beef|        |0|0"},
		{"%ld %lu %lx %hd %hhd %hu %hhu", []value{ints("long", -5), ints("ulong", 5), ints("ulong", math.MinInt64), ints("int", 70000), ints("int", 300), ints("int", 70000), ints("int", 300)}, "-5 5 8000000000000000 4464 44 4464 44"},
		{"%d %ld %lu", []value{ints("ulong", 1<<32+3), ints("int", -3), ints("uint", -3)}, "3 -3 4294967293"},
		{"%f %F %e %E %g %G %a %A", []value{floats(1.5), floats(1.5), floats(1.5), floats(1.5), floats(1.5), floats(1.5), floats(1.5), floats(1.5)}, "1.500000 1.500000 1.500000e+00 1.500000E+00 1.5 1.5 0x1.8p+0 0X1.8P+0"},
		{"%10.3f|%-10.3f|%+.0f|%#.0f|%010.2f|% f", []value{floats(3.14159), floats(3.14159), floats(2.5), floats(2), floats(-3.5), floats(1)}, "     3.142|3.142     |+2|2.|-000003.50| 1.000000"},
		{"%g %g %g %g %#g %.3g %.10g %.0g", []value{floats(1e-5), floats(1e5), floats(1e6), floats(123456789), floats(1), floats(0.00012345), floats(0.1), doubles(0.25)}, "1e-05 100000 1e+06 1.23457e+08 1.00000 0.000123 0.1000000015 0.2"},
		{"%a %a %.2a %a %20a|%-20a|%020a|%#a", []value{floats(0), floats(0.1), floats(0.1), floats(1e-40), floats(1.5), floats(1.5), floats(1.5), doubles(-1)}, "0x0p+0 0x1.99999ap-4 0x1.9ap-4 0x1.16c2p-133             0x1.8p+0|0x1.8p+0            |0x0000000000001.8p+0|-0x1.p+0"},
		{"%08.3e|%+e|%.0e|%#.0e %g %e", []value{floats(12345.678), floats(1), floats(1.5), floats(1.5), doubles(1e-310), doubles(1e300)}, "1.235e+04|+1.000000e+00|2e+00|2.e+00 1e-310 1.000000e+300"},
		{"%010f|%010f|%-10f|%+f|%F|%G", []value{floats(inf), floats(nan), floats(-inf), floats(inf), floats(inf), floats(-nan)}, "       inf|       nan|-inf      |+inf|INF|NAN"},
		{"%c|%5c|%-5c", []value{ints("int", 'x'), ints("int", 'y'), ints("int", 'z')}, "x|    y|z    "},
		{"%s|%10s|%-10s|%.2s|", []value{text("str"), text("str"), text("str"), text("str")}, "str|       str|str       |st|"},
		{"%p %20p", []value{ints("pointer", 0x1234), ints("pointer", 1)}, "0x1234                  0x1"},
		{"%v4hld|%5v4hld|%05v2hld|%+v2hld", []value{ints("int", 1, -2, 3, 4), ints("int", 1, -2, 3, 4), ints("int", 7, 8), ints("int", 7, 8)}, "1,-2,3,4|    1,   -2,    3,    4|00007,00008|+7,+8"},
		{"%v2hhd|%v8hx|%v3hlu|%v2ld|%v16hhu|%v3d", []value{ints("char", -1, 5), ints("ushort", 65535, 1, 2, 3, 4, 5, 6, 7), ints("uint", 1, 2, 3), ints("long", -1, 1<<40), ints("uchar", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255), ints("short", -1, 2, 3)}, "-1,5|ffff,1,2,3,4,5,6,7|1,2,3|-1,1099511627776|0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,255|-1,2,3"},
		{"%v4hlf|%6.2v4hlf|%v2lf|%v2g", []value{floats(1.5, -2.25, 1e10, 0.1), floats(1.5, -2.25, 1e10, 0.1), doubles(0.1, -2), floats(1, 2)}, "1.500000,-2.250000,10000000000.000000,0.100000|  1.50, -2.25,10000000000.00,  0.10|0.100000,-2.000000|1,2"},
		{"%d %f %lu", []value{floats(-3.75), ints("int", 2), floats(nan)}, "-3 2.000000 9223372036854775808"},
	} {
		f := clprintf.Format{Text: c.format}
		var memory []byte
		for _, v := range c.args {
			f.Args = append(f.Args, v.arg)
			memory = append(memory, v.memory...)
		}
		p, err := f.Printer()
		require.NoError(t, err, c.format)
		require.Equal(t, len(memory), f.Size(), c.format)
		require.Equal(t, c.want, string(p.Append(nil, memory)), c.format)
	}
}

func TestCheck(t *testing.T) {
	one := []clprintf.Arg{{Elem: "int", Count: 1}}
	for _, c := range []struct {
		format string
		args   []clprintf.Arg
		at     int
		arg    int
		want   string
	}{
		{"a %d", nil, 2, -1, "there is no argument for '%d'"},
		{"a", one, 1, 0, "no conversion takes the argument"},
		{"a %", one, 2, -1, "the conversion '%' is not complete"},
		{"%5.3", one, 0, -1, "the conversion '%5.3' is not complete"},
		{"%k", one, 0, -1, "unknown conversion '%k'"},
		{"%n", one, 0, -1, "unknown conversion '%n'"},
		{"%*d", one, 0, -1, "'*' is not a width or precision in OpenCL C"},
		{"%99999d", one, 0, -1, "a width or precision above 4096"},
		{"%v5d", one, 0, -1, "'v' wants 2, 3, 4, 8 or 16"},
		{"%v4s", one, 0, -1, "'%v4s' does not work on vectors"},
		{"%hld", one, 0, -1, "'%hld': 'hl' applies only to vectors"},
		{"%s", one, 0, 0, "'%s' wants a string, not int"},
		{"%p", one, 0, 0, "'%p' wants a pointer, not int"},
		{"%v4d", one, 0, 0, "'%v4d' wants a vector of 4 components, not int"},
		{"%d", []clprintf.Arg{{Elem: "float", Count: 4}}, 0, 0, "'%d' wants a scalar, not float4; vectors take 'v4' before the conversion"},
		{"%d", []clprintf.Arg{{Elem: "string", Count: 1}}, 0, 0, "'%d' wants a number, not a string"},
	} {
		err := (&clprintf.Format{Text: c.format, Args: c.args}).Check()
		require.EqualError(t, err, c.want, c.format)
		fault := err.(*clprintf.Error)
		require.Equal(t, [2]int{c.at, c.arg}, [2]int{fault.At, fault.Arg}, c.format)
	}
}

func TestConversions(t *testing.T) {
	f := clprintf.Format{Text: "%d %f %v2hld %s %5.1f %d", Args: []clprintf.Arg{
		{Elem: "float", Count: 1}, {Elem: "float", Count: 1}, {Elem: "double", Count: 2}, {Elem: "string", Count: 1}, {Elem: "uint", Count: 1}, {Elem: "int", Count: 1},
	}}
	require.NoError(t, f.Check())
	var got []string
	for _, x := range f.Conversions() {
		got = append(got, x.Msg)
	}
	require.Equal(t, []string{
		"'%d' wants an integer, not float, which is converted", "'%v2hld' wants an integer, not double2, which is converted",
		"'%5.1f' wants a float, not uint, which is converted",
	}, got)
}

// FuzzFormat checks that any text is a format or an error, and that any memory can be
// printed.
func FuzzFormat(f *testing.F) {
	f.Add("%5.3d %v4hlf %s", []byte("12345678"))
	f.Add("%-+ #08.3g%%%a", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x7f})
	f.Fuzz(func(t *testing.T, text string, memory []byte) {
		for _, a := range []clprintf.Arg{{Elem: "int", Count: 1}, {Elem: "double", Count: 4}, {Elem: "uchar", Count: 16}, {Elem: "string", Count: 1, Text: "x"}} {
			x := clprintf.Format{Text: text, Args: []clprintf.Arg{a}}
			p, err := x.Printer()
			if err != nil {
				continue
			}
			mem := make([]byte, x.Size())
			copy(mem, memory)
			require.NotPanics(t, func() { p.Append(nil, mem) })
		}
	})
}
