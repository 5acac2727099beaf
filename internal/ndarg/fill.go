package ndarg

import (
	"fmt"
	"strconv"
	"strings"
)

// Fill describes the initial contents of a buffer.
type Fill struct {
	Kind    string // zero, index, const, rand, file or str
	A, B    number // index: step and offset; const: the value; rand: the bounds
	Seed    uint64 // rand
	Bounded bool   // rand: A and B are given
	Text    string // file: its path; str: the bytes
}

func parseFill(text string, e Elem) (Fill, error) {
	kind, rest, has := strings.Cut(text, ",")
	f := Fill{Kind: kind}
	var words []string
	if has {
		words = strings.Split(rest, ",")
	}
	want := func(form string, least, most int) error {
		if len(words) < least || len(words) > most {
			return fmt.Errorf("bad fill %q: want %s", text, form)
		}
		return nil
	}
	num := func(i int, to *number) error {
		if i >= len(words) {
			return nil
		}
		n, err := parseNumber(words[i], e)
		*to = n
		return err
	}
	first := func(errs ...error) error {
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
	switch kind {
	case "", "zero":
		f.Kind = "zero"
		return f, want("zero", 0, 0)
	case "index":
		f.A = number{1, 1}
		return f, first(want("index[,STEP[,OFFSET]]", 0, 2), num(0, &f.A), num(1, &f.B))
	case "const":
		return f, first(want("const,VALUE", 1, 1), num(0, &f.A))
	case "rand":
		if err := want("rand,SEED[,LOW,HIGH]", 1, 3); err != nil {
			return f, err
		}
		if len(words) == 2 {
			return f, want("rand,SEED[,LOW,HIGH]", 3, 3)
		}
		seed, err := parseInt(words[0])
		f.Seed, f.Bounded = uint64(seed), len(words) == 3
		f.B = number{0, 1}
		if err := first(err, num(1, &f.A), num(2, &f.B)); err != nil {
			return f, err
		}
		if f.Bounded && (e.IsFloat() && f.A.f > f.B.f || !e.IsFloat() && !e.ordered(f.A, f.B)) {
			return f, fmt.Errorf("bad fill %q: the low bound is above the high one", text)
		}
		return f, nil
	case "file", "str":
		f.Text = rest
		if rest == "" {
			return f, fmt.Errorf("bad fill %q: want %s,%s", text, kind, map[string]string{"file": "PATH", "str": "TEXT"}[kind])
		}
		return f, nil
	}
	return f, fmt.Errorf("unknown fill %q; fills are zero, index, const, rand, file and str", kind)
}

// write fills b, a flat array of e, for all kinds except files.
func (f *Fill) write(b []byte, e Elem) {
	size := e.size()
	n := len(b) / size
	switch f.Kind {
	case "zero":
		clear(b)
	case "str":
		for i := range b {
			b[i] = f.Text[i%len(f.Text)]
		}
	case "const":
		for i := range n {
			e.put(b[i*size:], f.A)
		}
	case "index":
		for i := range n {
			e.put(b[i*size:], number{int64(i)*f.A.i + f.B.i, float64(i)*f.A.f + f.B.f})
		}
	case "rand":
		r := generator(f.Seed)
		for i := range n {
			f.draw(&r, b[i*size:], e)
		}
	}
}

// draw writes one random element. Halves are drawn as floats and rounded.
func (f *Fill) draw(r *generator, p []byte, e Elem) {
	x := r.next()
	switch {
	case e == Double:
		e.put(p, number{f: f.A.f + (f.B.f-f.A.f)*(float64(x)*0x1p-32)})
	case e.IsFloat():
		e.put(p, number{f: f.A.f + (f.B.f-f.A.f)*(float64(x>>8)*0x1p-24)})
	case f.Bounded:
		v := f.A.i
		if span := uint64(f.B.i-f.A.i) + 1; span != 0 {
			v += int64(uint64(x) % span)
		} else {
			v += int64(x)
		}
		e.putInt(p, v)
	case e.size() == 8:
		e.putInt(p, int64(uint64(x)<<32|uint64(r.next())))
	default:
		e.putInt(p, int64(x))
	}
}

// generator is the linear congruential generator of Knuth's MMIX.
type generator uint64

func (g *generator) next() uint32 {
	*g = *g*6364136223846793005 + 1442695040888963407
	return uint32(*g >> 32)
}

// String formats the fill in the syntax of the command line.
func (f *Fill) String() string {
	if f.Kind == "rand" {
		return "rand," + strconv.FormatUint(f.Seed, 10)
	}
	return f.Kind
}
