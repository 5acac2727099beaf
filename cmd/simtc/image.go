package main

import (
	"bufio"
	"fmt"
	"math"
	"os"

	"github.com/simtc/simtc/internal/ndarg"
)

// imageOf returns the first buffer that the kernel may write and that has an element for each
// work-item of the first two dimensions.
func imageOf(s *session) (arg int, err error) {
	w, h := s.rng.Global[0], s.rng.Global[1]
	for i, p := range s.kernel.Params() {
		if b := s.buffers[i]; b != nil && !p.ReadOnly && uint64(s.specs[i].Count) >= w*h {
			return i, nil
		}
	}
	return 0, fmt.Errorf("--ppm: the kernel writes no buffer of %d*%d elements", w, h)
}

// writeImage writes a binary PPM of the elements of imageOf.
func writeImage(path string, s *session) (err error) {
	w, h := s.rng.Global[0], s.rng.Global[1]
	arg, err := imageOf(s)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	out := bufio.NewWriter(f)
	fmt.Fprintf(out, "P6\n%d %d\n255\n", w, h)
	pixel := pixels(s.buffers[arg], s.specs[arg].Type)
	for i := range int(w * h) {
		rgb := pixel(i)
		out.Write(rgb[:])
	}
	return out.Flush()
}

// pixels returns a function from an element's index to its color.
func pixels(b []byte, t ndarg.Type) func(i int) [3]byte {
	size, step := t.Elem.Size(), t.Size()
	level := func(p []byte) byte {
		v := t.Elem.Number(p)
		if t.Elem.IsFloat() {
			v *= 255
		}
		return byte(math.Min(math.Max(math.RoundToEven(v), 0), 255)) // NaN becomes 0
	}
	if t.Lanes >= 3 {
		return func(i int) (rgb [3]byte) {
			for c := range rgb {
				rgb[c] = level(b[i*step+c*size:])
			}
			return rgb
		}
	}
	grey := func(v byte) [3]byte { return [3]byte{v, v, v} }
	if t.Elem == ndarg.UChar {
		return func(i int) [3]byte { return grey(b[i*step]) }
	}
	sum := ndarg.Summarize(b, t.Elem)
	span := sum.Max - sum.Min
	return func(i int) [3]byte {
		if !(span > 0) || math.IsInf(span, 0) {
			return grey(0)
		}
		v := (t.Elem.Number(b[i*step:]) - sum.Min) / span * 255
		return grey(byte(math.Min(math.Max(math.RoundToEven(v), 0), 255)))
	}
}
