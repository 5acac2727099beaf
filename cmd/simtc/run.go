package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
)

const argHelp = `ARG, one per parameter of the kernel:
  b:TYPE:COUNT[:FILL][:FLAGS]  a buffer; COUNT may be a product, 1024*1024, and may
                               have the suffix k (1024) or m (1024*1024): 4k
       FILL   zero | index[,STEP[,OFFSET]] | const,V | rand,SEED[,LOW,HIGH]
              | file,PATH (raw or .npy) | str,TEXT
       FLAGS  r read-only, w write-only, q leave out of the printed checksums
  null                         a null pointer to global or constant memory
  local:BYTES                  a pointer to local memory
  TYPE:V[,V...]                a scalar or vector by value: int:3, float4:1,2,3,4
  bytes:HEX                    the bytes of a struct or other value: bytes:0000803f
  image2d:ORDER,TYPE:WxH[:FILL][:FLAGS]  an image: image2d:rgba,unorm8:640x480:rand,1
       also image1d:…:W image1d_buffer:…:W image1d_array:…:WxLAYERS
       image2d_array:…:WxHxLAYERS image3d:…:WxHxD image2d_depth image2d_array_depth
       ORDER  r a rg ra rgb rgba bgra argb intensity luminance rx rgbx depth
       TYPE   {u,s}norm{8,16} unorm565 unorm555 unorm101010 {u,}int{8,16,32} half float
  sampler:WORDS                a sampler: nearest | linear, none | edge | clamp | repeat
                               | mirrored, normalized: sampler:linear,edge
  TYPE is char uchar short ushort int uint long ulong half float double, or one
  of these with 2, 3, 4, 8 or 16 components.`

// runFlags are the flags of run.
type runFlags struct {
	compileFlags
	rangeFlags
	runs  int
	reset bool
	head  int
	dump  string
	ppm   string

	noTuning, checked bool
	profile           bool
	remarks           remarkFlags
}

func runCommand() *cobra.Command {
	var r runFlags
	cmd := &cobra.Command{
		Use:   "run FILE... -k KERNEL -g X[,Y[,Z]] ARG...",
		Short: "Run a kernel and print checksums of its buffers",
		Long: "Compile a kernel, run it over a range, and print the times and what the buffers\n" +
			"hold after the first run: the FNV-1a checksum of their bytes and the sum, the\n" +
			"least and the greatest of their elements. What the kernel prints in the first run\n" +
			"comes before that; with --json it is the field printf of the object. If a signal or\n" +
			"--timeout stops the timed runs, the finished ones are reported.\n\n" +
			"Before runs are timed, other candidates that the plan thinks are close are tried for\n" +
			"up to half a second, and the buffers get back what they held, unless there is --no-tuning.\n\n" + argHelp,
		Example: "  simtc run saxpy.cl -k saxpy -g 1000 float:2.5 b:float:1000:rand,1 b:float:1000:rand,2",
		Args:    fileFirst,
		RunE:    action(func(cmd *cobra.Command, args []string) error { return r.run(cmd, args) }),
	}
	f := cmd.Flags()
	r.compileFlags.add(f)
	r.rangeFlags.add(f)
	f.IntVarP(&r.runs, "runs", "n", 5, "timed runs after the first")
	f.BoolVar(&r.reset, "reset", false, "restore the initial contents of the buffers and the program's variables before every run")
	f.IntVar(&r.head, "head", 0, "print the first `N` elements of every buffer")
	f.StringVar(&r.dump, "dump", "", "write each buffer and image after the first run to `PREFIX`.argI.bin, where I is the position of the argument, from 0; local memory has no contents after a launch")
	f.BoolVar(&r.profile, "profile", false, "run once more with instrumented code and print the source with a profile: the executions "+
		"of each line, its average number of active lanes, and its share of all operations")
	f.StringVar(&r.ppm, "ppm", "", "write a PPM image to `FILE`, of the first buffer that the kernel may write and that has "+
		"an element for each of the X*Y work-items. Elements of 3 or 4 components are red, green "+
		"and blue (floats from 0 to 1), bytes are grey, others are grey from minimum to maximum")
	f.String("from", "", "repeat a launch that the OpenCL driver wrote to `DIR` (SIMTC_DUMP); flags may be added")
	f.BoolVar(&r.checked, "checked", false, "test every access that may be out of bounds; an access that is ends the run with its\n"+
		"location, index and work-item (check always does)")
	f.BoolVar(&r.noTuning, "no-tuning", false, "run the plan's choice, even if another candidate is faster")
	r.remarks.add(f)
	r.completions(cmd)
	r.remarks.completions(cmd)
	return cmd
}

// session is a kernel with its arguments, ready to run.
type session struct {
	kernel  *simtc.Kernel
	rng     simtc.Range
	specs   []ndarg.Arg
	buffers [][]byte // by argument; nil for other arguments
	args    []any
	printed bytes.Buffer // the kernel's output, if it is captured
}

// newSession creates the arguments of a kernel. buffer allocates and fills a buffer.
func newSession(k *simtc.Kernel, rng simtc.Range, specs []ndarg.Arg, buffer func(*ndarg.Arg) ([]byte, error)) (*session, error) {
	params := k.Params()
	if len(params) != len(specs) {
		return nil, usagef("kernel %s takes %d arguments, got %d: %s", k.Name(), len(params), len(specs), signature(params))
	}
	s := &session{kernel: k, rng: rng, specs: specs, buffers: make([][]byte, len(specs)), args: make([]any, len(specs))}
	for i := range specs {
		if err := fits(params[i], &specs[i]); err != nil {
			return nil, usagef("argument %d %q: kernel %s has %s: %w", i, specs[i].Spec, k.Name(), declared(params[i]), err)
		}
		switch specs[i].Kind {
		case ndarg.Buffer:
			b, err := buffer(&specs[i])
			if err != nil {
				return nil, err
			}
			s.buffers[i], s.args[i] = b, simtc.Buffer(b)
		case ndarg.Image:
			b, err := specs[i].New()
			if err != nil {
				return nil, err
			}
			s.buffers[i], s.args[i] = b, imageArg(&specs[i].Image, b)
		case ndarg.Local:
			s.args[i] = simtc.LocalMemory(specs[i].Bytes)
		default:
			s.args[i] = simtc.Bytes(specs[i].Value)
		}
	}
	return s, nil
}

// imageArg returns the image im with texels b.
func imageArg(im *ndarg.ImageSpec, b []byte) simtc.Arg {
	return simtc.ImageArg(simtc.Image{
		Width: im.Width, Height: im.Height, Depth: im.Depth, ArraySize: im.Layers, Order: im.Format.Order, Type: im.Format.Type, Data: b,
	})
}

func signature(params []simtc.Param) string {
	var words []string
	for _, p := range params {
		words = append(words, declared(p))
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// declared formats a parameter as in its declaration.
func declared(p simtc.Param) string {
	if strings.HasSuffix(p.Type, "*") {
		return p.Type + p.Name
	}
	return p.Type + " " + p.Name
}

// fits checks an argument against its parameter.
func fits(p simtc.Param, a *ndarg.Arg) error {
	want := map[simtc.ParamKind]ndarg.Kind{
		simtc.ByValue: ndarg.Value, simtc.GlobalPointer: ndarg.Buffer, simtc.LocalPointer: ndarg.Local, simtc.ImageParam: ndarg.Image,
	}[p.Kind]
	switch {
	case a.Null && p.Kind == simtc.GlobalPointer:
		return nil
	case want == ndarg.Image && a.Image.Type != p.Elem:
		return fmt.Errorf("want an image %s:ORDER,TYPE:SIZES", strings.TrimSuffix(p.Elem, "_t"))
	case a.Kind != want && p.Type == "sampler_t":
		return fmt.Errorf("want sampler:WORDS")
	case a.Kind != want:
		return fmt.Errorf("want %s", []string{"a buffer b:TYPE:COUNT", "local:BYTES", "a value TYPE:V"}[want])
	case a.Kind != ndarg.Value:
		return nil
	}
	if a.Bytes != p.Size {
		return fmt.Errorf("want %d bytes, not %d", p.Size, a.Bytes)
	}
	if t, err := ndarg.ParseType(p.Elem); err == nil && !a.Raw && t.Elem.IsFloat() != a.Type.Elem.IsFloat() {
		return fmt.Errorf("want a value of %s", p.Elem)
	}
	return nil
}

// warnElements warns of buffers whose elements have another type than the pointee, which a launch
// from Go rejects.
func (w *warner) warnElements(k *simtc.Kernel, specs []ndarg.Arg) {
	for i, p := range k.Params() {
		if i >= len(specs) || p.Kind != simtc.GlobalPointer || specs[i].Kind != ndarg.Buffer || specs[i].Null {
			continue
		}
		if given := specs[i].Type.Elem.String(); !p.TakesElements(given) {
			w.warnf("argument %d %q: kernel %s has %s: the elements are %s, not %s", i, specs[i].Spec, k.Name(), declared(p), given, p.Elem)
		}
	}
}

// reset restores the initial contents of the buffers and the program's variables.
func (s *session) reset(ctx context.Context) error {
	if err := s.kernel.Program().Reset(ctx); err != nil {
		return err
	}
	for i, b := range s.buffers {
		if b == nil {
			continue
		}
		if err := s.specs[i].Reset(b); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) launch(ctx context.Context) error { return s.kernel.Launch(ctx, s.rng, s.args...) }

func (r *runFlags) run(cmd *cobra.Command, words []string) error {
	files, words := splitFiles(words)
	rng, err := r.ndrange()
	if err != nil {
		return err
	}
	specs, err := ndarg.ParseArgs(words)
	if err != nil {
		return usageError{err}
	}
	if r.runs < 0 || r.head < 0 {
		return usagef("-n and --head must not be negative, got %d and %d", r.runs, r.head)
	}
	if r.emulate && r.strategy.Target != "" && !simtc.IsNative(r.strategy.Target) {
		return usagef("--emulate runs machine code, not %s", r.strategy.Target)
	}
	if err := r.remarks.check(); err != nil {
		return err
	}
	began := time.Now()
	p, err := r.program(cmd, files, func(o *simtc.Options) {
		o.Threads, o.StrictBarriers, o.NoTuning, o.Emulate, o.Checked = r.threads, r.strict, r.noTuning || r.emulate, r.emulate, r.checked
		if r.kernel != "" {
			o.Kernels = []string{r.kernel}
		}
	})
	if err != nil {
		return err
	}
	defer p.Close()
	warned := newWarner(cmd, p)
	k, err := r.pick(p)
	if err != nil {
		return err
	}
	if err := k.Available(); err != nil && simtc.Available(k.Target()) == nil {
		return err
	} else if err != nil {
		hint := "--emulate runs its code in an emulator, slowly"
		if one, e := k.With(simtc.Strategy{Width: 1}); e == nil && one.Available() == nil {
			hint += ", and --width 1 runs on this processor"
		}
		return fmt.Errorf("%w; %s", err, hint)
	}
	if rng, err = k.Resolve(rng); err != nil {
		return usageError{err}
	}
	// Which accesses are tested, and the plan, depend on the arguments.
	s, filling, err := r.arguments(k, rng, specs)
	if err != nil {
		return err
	}
	if err := r.canWrite(s); err != nil {
		return err
	}
	if k, err = k.ForLaunch(rng, s.args...); err != nil {
		return err
	}
	if err := k.Build(); err != nil {
		return err
	}
	compiled := time.Since(began) - filling
	warned.about(k)
	warned.warnElements(k, specs)
	if r.stats != "" {
		if err := r.printStats(cmd, k); err != nil {
			return err
		}
	}
	written, err := r.remarks.print(cmd, p, []*simtc.Kernel{k}, r.json)
	if err != nil {
		return err
	}
	ctx, cancel := r.context(cmd)
	defer cancel()
	s.kernel = k.WithOutput(cmd.OutOrStdout())
	if r.json {
		s.kernel = k.WithOutput(&s.printed)
	}
	began, used := time.Now(), cpuTime()
	if err := s.launch(ctx); err != nil {
		return &printedError{err, s.printed.String()}
	}
	first := time.Since(began)
	if used = cpuTime() - used; used > 0 {
		first = min(first, used) // other programs may have taken the rest
	}
	s.kernel = k.WithOutput(nil)
	out := runReport{
		Kernel: k.Name(), Target: k.Target(), Linearizer: k.Linearizer(), Global: rng.Global, Local: rng.Local, Executed: k.Executed(),
		CompileMS: milliseconds(compiled), Remarks: written, Printf: s.printed.String(), Diagnostics: warned.outputs,
	}
	way, err := k.Strategy()
	if err != nil {
		return err
	}
	out.LaneDim = way.LaneDim
	out.Width, out.Lanes, out.LoopDepth, out.Scalar, out.Engine = way.Width, way.Lanes, way.LoopDepth, way.Scalar, way.Engine
	if out.Buffers, err = r.results(s); err != nil {
		return err
	}
	profile, err := r.measure(ctx, s, &out, first)
	why := stopped(err)
	switch {
	case why != nil:
		out.Stopped, err = why.Error(), reported{err}
	case err != nil:
		return err
	}
	if r.json {
		return errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(out))
	}
	out.print(cmd.OutOrStdout())
	if profile != nil {
		printProfile(cmd.OutOrStdout(), profile, p.Source)
	}
	return err
}

// measure tunes, times runs and profiles, after a first run that took the given time. If it is
// stopped, out has the results so far.
func (r *runFlags) measure(ctx context.Context, s *session, out *runReport, first time.Duration) (profile *simtc.Profile, err error) {
	if limit := tuneFor(first); r.runs > 0 && limit > 0 && !r.noTuning {
		if out.TuneMS, err = r.tune(ctx, s, limit); err != nil {
			return nil, err
		}
	}
	if err := r.time(ctx, s, out); err != nil {
		return nil, err
	}
	if out.Fastest, err = faster(s.kernel); err != nil {
		return nil, err
	}
	if r.profile {
		if profile, err = s.profile(ctx); err == nil {
			out.Profile = newProfileReport(profile)
		}
	}
	return profile, err
}

// arguments creates the arguments of k, and returns the time that it took.
func (r *runFlags) arguments(k *simtc.Kernel, rng simtc.Range, specs []ndarg.Arg) (*session, time.Duration, error) {
	began := time.Now()
	s, err := newSession(k, rng, specs, func(a *ndarg.Arg) ([]byte, error) { return a.NewIn(k.Alloc) })
	return s, time.Since(began), err
}

// faster returns the strategy that launches found to be faster than the planned one, "" if none.
func faster(k *simtc.Kernel) (string, error) {
	planned, err := k.Strategy()
	if err != nil {
		return "", err
	}
	best, err := k.Fastest()
	if err != nil || best == planned {
		return "", err
	}
	if best.Target == planned.Target {
		best.Target = ""
	}
	return strings.TrimSpace(best.String()), nil
}

// canWrite returns an error for output files that cannot be written, before anything runs.
func (r *runFlags) canWrite(s *session) error {
	if r.ppm != "" {
		if _, err := imageOf(s); err != nil {
			return err
		}
	}
	for _, path := range []string{r.ppm, r.dump} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return err
		}
	}
	return nil
}

// results summarizes the buffers and writes the requested files.
func (r *runFlags) results(s *session) ([]bufferReport, error) {
	out := []bufferReport{}
	for i, b := range s.buffers {
		if b == nil {
			continue
		}
		a := &s.specs[i]
		if r.dump != "" {
			if err := os.WriteFile(fmt.Sprintf("%s.arg%d.bin", r.dump, i), b, 0o666); err != nil {
				return nil, err
			}
		}
		if a.Quiet {
			continue
		}
		sum := ndarg.Summarize(b, a.Type.Elem)
		rep := bufferReport{
			Arg: i, Type: a.Type.String(), Count: a.Count, FNV: ndarg.FormatHash(sum.FNV),
			Sum: finite(sum.Sum), Min: finite(sum.Min), Max: finite(sum.Max),
		}
		size := a.Type.Elem.Size()
		for j := 0; j < r.head && (j+1)*size <= len(b); j++ {
			rep.Head = append(rep.Head, literal(a.Type.Elem.Format(b[j*size:])))
		}
		out = append(out, rep)
	}
	if r.ppm != "" {
		return out, writeImage(r.ppm, s)
	}
	return out, nil
}

// tuneFor returns the time limit for comparing candidates before the timed runs, given the time of
// the first run: enough for several launches of each, or for parts of a long one. Launches of seconds
// tune by themselves.
func tuneFor(first time.Duration) time.Duration {
	const long, minLimit, maxLimit, launches = time.Second, 200 * time.Millisecond, 500 * time.Millisecond, 40
	if first > long {
		return 0
	}
	return min(max(minLimit, launches*first), maxLimit)
}

// tune finds the fastest candidate and returns the time that it took, in ms.
func (r *runFlags) tune(ctx context.Context, s *session, limit time.Duration) (float64, error) {
	if r.reset {
		if err := s.reset(ctx); err != nil {
			return 0, err
		}
	}
	began := time.Now()
	err := s.kernel.Tune(ctx, limit, s.rng, s.args...)
	return milliseconds(time.Since(began)), err
}

// time times the runs. If it is stopped, out has the finished ones.
func (r *runFlags) time(ctx context.Context, s *session, out *runReport) error {
	var wall, cpu []float64
	defer func() { out.times(wall, cpu) }()
	for range r.runs {
		if r.reset {
			if err := s.reset(ctx); err != nil {
				return err
			}
		}
		c, began := cpuTime(), time.Now()
		if err := s.launch(ctx); err != nil {
			return err
		}
		wall = append(wall, float64(time.Since(began).Nanoseconds())/1e6)
		cpu = append(cpu, float64((cpuTime()-c).Nanoseconds())/1e6)
	}
	return nil
}

// times summarizes the times of runs, in ms.
func (o *runReport) times(wall, cpu []float64) {
	o.N = len(wall)
	if o.N == 0 {
		return
	}
	slices.Sort(wall)
	n := len(wall)
	o.MinMS, o.MaxMS, o.CPUMinMS = wall[0], wall[n-1], slices.Min(cpu)
	o.MedianMS = (wall[(n-1)/2] + wall[n/2]) / 2
}

// runReport is the JSON output of run.
type runReport struct {
	Kernel     string         `json:"kernel"`
	Target     string         `json:"target"`
	Linearizer string         `json:"linearizer"`
	Width      int            `json:"width"`
	Lanes      string         `json:"lanes,omitempty"`        // "iterations" if they are those of a loop
	LaneDim    string         `json:"lane_dim,omitempty"`     // of the range, if the kernel has positions in several
	LoopDepth  int            `json:"loop_depth,omitempty"`   // of that loop in its nest, if others were possible
	Scalar     string         `json:"scalar,omitempty"`       // the form of one-lane code, if it was requested
	Engine     string         `json:"engine,omitempty"`       // the engine's compiler, if it was requested
	Executed   uint64         `json:"instructions,omitempty"` // executed in the first run by the emulator; all times are then the emulator's
	Fastest    string         `json:"fastest,omitempty"`      // a faster strategy that tuning found
	Global     [3]uint64      `json:"global"`
	Local      [3]uint64      `json:"local"`
	CompileMS  float64        `json:"compile_ms"`
	TuneMS     float64        `json:"tune_ms"` // time of comparing candidates
	N          int            `json:"n"`
	MinMS      float64        `json:"min_ms"`
	MedianMS   float64        `json:"median_ms"`
	MaxMS      float64        `json:"max_ms"`
	CPUMinMS   float64        `json:"cpu_min_ms"`
	Buffers    []bufferReport `json:"buffers"`
	Profile    *profileReport `json:"profile,omitempty"`
	Remarks    []simtc.Remark `json:"remarks,omitempty"`

	Printf      string    `json:"printf,omitempty"`      // the kernel's output in the first run
	Stopped     string    `json:"stopped,omitempty"`     // why fewer runs were timed than requested
	Diagnostics []message `json:"diagnostics,omitempty"` // warnings
}

type bufferReport struct {
	Arg   int       `json:"arg"`
	Type  string    `json:"type"`
	Count int       `json:"count"`
	FNV   string    `json:"fnv1a64"`
	Sum   finite    `json:"sum"`
	Min   finite    `json:"min"`
	Max   finite    `json:"max"`
	Head  []literal `json:"head,omitempty"`
}

// finite is a number that becomes null in JSON if it is not finite.
type finite float64

// MarshalJSON writes the number with full precision.
func (f finite) MarshalJSON() ([]byte, error) {
	if v := float64(f); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

// literal is a formatted number; values that JSON cannot represent become strings.
type literal string

// MarshalJSON writes the literal.
func (l literal) MarshalJSON() ([]byte, error) {
	if json.Valid([]byte(l)) {
		return []byte(l), nil
	}
	return json.Marshal(string(l))
}

func (o *runReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s", o.Kernel, o.Target)
	if o.Width > 0 {
		how := strings.TrimPrefix(fmt.Sprintf("%s, width %d", o.Linearizer, o.Width), ", ")
		if o.Lanes != "" {
			how += " " + simtc.Iterations
		}
		if o.LaneDim != "" && o.LaneDim != "0" {
			how += " dim=" + o.LaneDim
		}
		if o.LoopDepth != 0 {
			how += fmt.Sprintf(" depth=%d", o.LoopDepth)
		}
		for _, form := range []string{o.Scalar, o.Engine} {
			if form != "" {
				how += " " + form
			}
		}
		fmt.Fprintf(w, " (%s)", how)
	}
	fmt.Fprintf(w, "  global %s local %s\n", dims(o.Global), dims(o.Local))
	if o.Executed > 0 {
		items := float64(o.Global[0] * o.Global[1] * o.Global[2])
		fmt.Fprintf(w, "  emulated: %d instructions, %.1f per work-item\n", o.Executed, float64(o.Executed)/items)
	}
	fmt.Fprintf(w, "  compiled in %.2f ms", o.CompileMS)
	if o.N > 0 {
		fmt.Fprintf(w, "; run ms: min %.3f  median %.3f  max %.3f  (n=%d)  cpu min %.3f", o.MinMS, o.MedianMS, o.MaxMS, o.N, o.CPUMinMS)
	}
	if o.Stopped != "" {
		fmt.Fprintf(w, "; %s", o.Stopped)
	}
	if o.Fastest != "" {
		fmt.Fprintf(w, "; found faster: %s", o.Fastest)
	}
	fmt.Fprintln(w)
	printBuffers(w, o.Buffers)
}

// printBuffers prints the checksums of buffers, and their first elements for --head.
func printBuffers(w io.Writer, buffers []bufferReport) {
	for _, b := range buffers {
		fmt.Fprintf(w, "  arg%d %s*%d  fnv1a64 %s  sum %.10g  min %.8g  max %.8g\n", b.Arg, b.Type, b.Count, b.FNV, float64(b.Sum), float64(b.Min), float64(b.Max))
		if len(b.Head) > 0 {
			words := make([]string, len(b.Head))
			for i, h := range b.Head {
				words[i] = string(h)
			}
			fmt.Fprintf(w, "    %s\n", strings.Join(words, " "))
		}
	}
}

// dims formats sizes without trailing ones.
func dims(d [3]uint64) string {
	s := fmt.Sprint(d[0])
	for i := 1; i < 3; i++ {
		if d[i] != 1 || i == 1 && d[2] != 1 {
			s += fmt.Sprintf(",%d", d[i])
		}
	}
	return s
}
