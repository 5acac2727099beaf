package builtins

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

//go:embed *.cl
var files embed.FS

// chunk is the text of one function in a .cl file.
type chunk struct {
	file string
	line int
	text string
}

// chunks maps names to functions. A function begins on a line that does not begin with
// white space, '#', '/' or '}', and ends with the first line that contains only '}'.
var chunks = sync.OnceValue(func() map[string]chunk {
	out := map[string]chunk{}
	names, _ := fs.Glob(files, "*.cl")
	for _, file := range names {
		data, _ := files.ReadFile(file)
		text := string(data)
		line, start, startLine := 1, -1, 0
		for at := 0; at < len(text); line++ {
			end := len(text)
			if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
				end = at + n
			}
			s := text[at:end]
			switch {
			case start < 0 && s != "" && !strings.ContainsRune(" \t#/}*", rune(s[0])):
				start, startLine = at, line
			case start >= 0 && s == "}":
				fn := text[start:end]
				head, _, _ := strings.Cut(fn, "(")
				out[head[strings.LastIndexByte(head, ' ')+1:]] = chunk{file, startLine, fn}
				start = -1
			}
			at = end + 1
		}
	}
	return out
})

// bodyKey identifies an instance of a body.
type bodyKey struct {
	name string
	elem *types.Scalar
	n    int
}

type bodyEntry struct {
	once sync.Once
	fn   *ast.Func
	err  error
}

var bodies sync.Map // bodyKey to *bodyEntry

// Body returns the function name of the .cl files, compiled for components of type elem
// (Func.BodyOf) and, if it operates on whole vectors, for n components; otherwise n is 1.
// It is parsed and checked on first use and then shared by the whole process: it must not
// be modified.
func Body(name string, elem *types.Scalar, n int) (*ast.Func, error) {
	v, ok := bodies.Load(bodyKey{name, elem, n})
	if !ok {
		v, _ = bodies.LoadOrStore(bodyKey{name, elem, n}, &bodyEntry{})
	}
	e := v.(*bodyEntry)
	e.once.Do(func() { e.fn, e.err = compileBody(name, elem, n) })
	return e.fn, e.err
}

func compileBody(name string, elem *types.Scalar, n int) (*ast.Func, error) {
	c, ok := chunks()[name]
	if !ok {
		return nil, fmt.Errorf("built-in function '%s' has no body", name)
	}
	var errs diag.List
	text := strings.Repeat("\n", c.line-1) + c.text + "\n"
	toks := preprocess.Run("<builtin>/"+c.file, text, preprocess.Options{Std: "1.2", Defines: macros(elem, n)}, &errs)
	file := parse.File(toks, parse.Options{NoContract: true}, &errs)
	if errs.Len() == 0 {
		check.Program(file, check.Options{}, Library{}, &errs)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	for _, fn := range file.Funcs {
		if fn.Name == name {
			return fn, nil
		}
	}
	return nil, fmt.Errorf("built-in function '%s' has no body", name)
}

// macros returns the macros available to bodies:
//
//	T U S W    the component type; unsigned and signed integers of its width;
//	           the integer of twice the width (if it exists)
//	N TN SN    the number of components; vectors of N components of types T and S
//	BITS SIGNED T_MIN T_MAX             for integers
//	AS_U AS_T  reinterpret a T as U, and back
//	MANT BIAS  fraction bits and exponent bias, for floats
//	TOP INF    the bits of -0 and of infinity; INFINITY, NAN have type T
//	MIN_NORMAL NORMAL   the smallest normal number; whether a sum of squares is not 0, subnormal, infinite or NaN
//	RARE       marks a condition as unlikely
//	SHIFT      1.5 * 2^MANT: adding it rounds a number to an integer, held in the low bits of the sum
//	T2 T4      vectors of T
func macros(t *types.Scalar, n int) []string {
	u, s := types.SignedOf(t.Size()).Unsigned(), types.SignedOf(t.Size())
	def := []string{
		"T=" + t.String(), "U=" + u.String(), "S=" + s.String(),
		fmt.Sprintf("BITS=%d", t.Bits()), fmt.Sprintf("N=%d", n),
	}
	if n == 1 {
		def = append(def, "TN="+t.String(), "SN="+s.String())
	} else {
		def = append(def, fmt.Sprintf("TN=%s%d", t, n), fmt.Sprintf("SN=%s%d", s, n))
	}
	if t.IsFloat() {
		// The cast undoes the promotion of a ushort in arithmetic.
		def = append(def, "AS_U(x)=as_"+u.String()+"(x)", "AS_T(x)=as_"+t.String()+"((U)(x))")
		mant, bias, suffix, shift := 23, 127, "U", "0x1.8p23f"
		switch t {
		case types.Half:
			mant, bias, shift = 10, 15, "0x1.8p10h"
		case types.Double:
			mant, bias, suffix, shift = 52, 1023, "UL", "0x1.8p52"
		}
		return append(def, "FLOATING=1", "SHIFT="+shift, "T2="+t.String()+"2", "T4="+t.String()+"4", fmt.Sprintf("MANT=%d", mant), fmt.Sprintf("BIAS=%d", bias),
			fmt.Sprintf("TOP=(1%s<<%d)", suffix, t.Bits()-1),
			fmt.Sprintf("INF=((2%s*BIAS+1)<<MANT)", suffix), "INFINITY=AS_T(INF)", "NAN=AS_T(INF|INF>>1)",
			"MIN_NORMAL=AS_T((U)1<<MANT)", "NORMAL(s)=(AS_U(s)-((U)1<<MANT)<INF-((U)1<<MANT))", "RARE(c)=__builtin_expect(c,0)")
	}
	def = append(def, "AS_U(x)=(U)(x)", "AS_T(x)=(T)(x)", "FLOATING=0")
	if w := wider(t); w != nil {
		def = append(def, "W="+w.String())
	}
	if t.IsSigned() {
		// The shifted value fits in int, or is a long.
		return append(def, "SIGNED=1", fmt.Sprintf("T_MAX=((T)(((U)1<<%d)-1))", t.Bits()-1), "T_MIN=((T)(-T_MAX-1))")
	}
	return append(def, "SIGNED=0", "T_MAX=((T)-1)", "T_MIN=((T)0)")
}
