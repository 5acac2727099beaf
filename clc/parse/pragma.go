package parse

import (
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
)

// runPragmas applies the pragmas before the current token.
func (p *parser) runPragmas() {
	for p.nextPr < len(p.pragmas) && p.pragmas[p.nextPr].before <= p.i {
		pr := p.pragmas[p.nextPr]
		p.nextPr++
		p.pragma(pr)
	}
}

// pragmas are the known pragmas, by their first word or, in the namespaces OPENCL, STDC,
// clang, GCC and simt, by their first two. Those without a function do not affect results: they
// are hints, permissions that are not used, or requests for diagnostics. The preprocessor
// has handled its own.
var pragmas map[string]func(*parser, *directive)

func init() { // assigned in init, as the functions call the parser, which reads the table
	contract := (*parser).contractPragma
	pragmas = map[string]func(*parser, *directive){
		"OPENCL EXTENSION": (*parser).extensionPragma, "OPENCL FP_CONTRACT": contract, "STDC FP_CONTRACT": contract,
		"OPENCL SELECT_ROUNDING_MODE": (*parser).roundingPragma, "STDC FENV_ROUND": (*parser).roundingPragma,
		// Rounding modes cannot be set, exception flags cannot be read, and there are no
		// complex numbers.
		"STDC FENV_ACCESS": nil, "STDC CX_LIMITED_RANGE": nil,
		"clang fp": (*parser).fpPragma, "float_control": nil,

		"unroll": (*parser).unrollPragma, "GCC unroll": (*parser).unrollPragma, "nounroll": (*parser).unrollPragma,
		"clang loop": (*parser).loopPragma, "simt loop": (*parser).vectorizePragma,

		"pack": (*parser).packPragma, "options": refuse("align"), "align": refuse(""), "ms_struct": refuse("on"),
		"scalar_storage_order": refuse(""), "clang attribute": refuse(""), "redefine_extname": refuse(""), "weak": refuse(""),

		"unroll_and_jam": nil, "nounroll_and_jam": nil, "ivdep": nil, "GCC ivdep": nil, "clang optimize": nil, "optimize": nil,
		"clang diagnostic": nil, "GCC diagnostic": nil, "clang system_header": nil, "GCC system_header": nil, "system_header": nil,
		"clang assume_nonnull": nil, "clang deprecated": nil, "clang restrict_expansion": nil, "clang final": nil,
		"clang section": nil, "GCC visibility": nil, "GCC dependency": nil,
		"mark": nil, "region": nil, "endregion": nil, "warning": nil, "comment": nil, "inline_depth": nil, "inline_recursion": nil,
	}
}

// A directive is one pragma: its name and a cursor over the tokens after it.
type directive struct {
	pragma
	name string
	args []token.Token
	i    int
}

func (d *directive) more() bool { return d.i < len(d.args) }

// at returns the position of the next token, or of the pragma if there is none.
func (d *directive) at() pos {
	if d.more() {
		return d.args[d.i].At()
	}
	return d.tok.At()
}

// accept consumes the next token if it is spelled s.
func (d *directive) accept(s string) bool {
	if d.more() && d.args[d.i].Is(s) {
		d.i++
		return true
	}
	return false
}

// word consumes the next token and returns its text, "" at the end.
func (d *directive) word() string {
	if !d.more() {
		return ""
	}
	d.i++
	return d.args[d.i-1].Text
}

// pragma applies one pragma (OpenCL C 1.2 §6.10, C99 §6.10.6 and those of clang). An
// unsupported pragma that would change the meaning of the program is an error; an unknown
// one gives a warning.
func (p *parser) pragma(pr pragma) {
	words := pr.tok.Args
	if len(words) == 0 {
		return
	}
	d := &directive{pragma: pr, name: words[0].Text, args: words[1:]}
	switch d.name {
	case "OPENCL", "STDC", "clang", "GCC", "simt":
		if len(d.args) > 0 {
			d.name += " " + d.word()
		}
	}
	run, known := pragmas[d.name]
	switch {
	case !known:
		p.errs.Warnf(pr.tok.At(), "unknown #pragma '%s' is ignored", d.name)
	case run != nil:
		run(p, d)
	}
}

// refuse returns a handler that rejects a pragma whose argument begins with word, or with
// any word if word is "".
func refuse(word string) func(*parser, *directive) {
	return func(p *parser, d *directive) {
		if word == "" || d.accept(word) {
			p.errs.Addf(d.tok.At(), "#pragma %s is not supported", strings.TrimSpace(d.name+" "+word))
		}
	}
}

// extensionPragma checks #pragma OPENCL EXTENSION name : behavior. Extensions are always
// available, whether they are enabled or not.
func (p *parser) extensionPragma(d *directive) {
	at, name := d.at(), d.word()
	if !d.accept(":") {
		p.errs.Warnf(at, "#pragma OPENCL EXTENSION takes a name, ':' and enable or disable; it is ignored")
		return
	}
	behavior := d.word()
	switch {
	case behavior != "enable" && behavior != "disable" && behavior != "require" && behavior != "warn",
		name == "all" && behavior != "disable" && behavior != "warn":
		p.errs.Warnf(at, "'%s' is no behavior of extension '%s'; the #pragma is ignored", behavior, name)
	case name != "all" && !p.opts.Extensions[name] && (behavior == "enable" || behavior == "require"):
		p.errs.Warnf(at, "extension '%s' is unknown or not supported; the #pragma is ignored", name)
	}
}

// roundingPragma rejects rounding modes other than to nearest even.
func (p *parser) roundingPragma(d *directive) {
	if mode := d.word(); mode != "rte" && mode != "FE_TONEAREST" && mode != "FE_DYNAMIC" {
		p.errs.Addf(d.tok.At(), "rounding mode '%s' is not supported: operations round to nearest even", mode)
	}
}

// scoped reports whether d is at file scope or at the start of a compound statement, at
// whose end it ceases to apply (C99 §6.10.6). Elsewhere it reports an error.
func (p *parser) scoped(d *directive) bool {
	if d.depth > 0 && d.before != p.blockStart {
		p.errs.Addf(d.tok.At(), "#pragma %s must be at file scope or at the start of a compound statement", d.name)
		return false
	}
	return true
}

func (p *parser) contractPragma(d *directive) {
	if !p.scoped(d) {
		return
	}
	switch mode := d.word(); mode {
	case "ON":
		p.contract = true
	case "DEFAULT":
		p.contract = !p.opts.NoContract
	case "OFF":
		p.contract = false
	default:
		p.errs.Addf(d.tok.At(), "FP_CONTRACT takes ON, OFF or DEFAULT, not '%s'", mode)
	}
}

// fpPragma applies #pragma clang fp. Contraction across statements (fast) is a
// permission that is not used; reassociation is used for kernels whose body ends with it on.
func (p *parser) fpPragma(d *directive) {
	if !p.scoped(d) {
		return
	}
	for d.more() {
		at, option := d.at(), d.word()
		open := d.accept("(")
		value := d.word()
		if !open || !d.accept(")") {
			p.errs.Addf(at, "#pragma clang fp takes options such as contract(off)")
			return
		}
		switch option + " " + value {
		case "contract on", "contract fast":
			p.contract = true
		case "contract off":
			p.contract = false
		case "reassociate on":
			p.reassociate = true
		case "reassociate off":
			p.reassociate = false
		case "exceptions ignore", "exceptions maytrap", "exceptions strict", "eval_method source":
		default:
			p.errs.Addf(at, "#pragma clang fp %s(%s) is not supported", option, value)
		}
	}
}

// unrollPragma applies unroll, unroll N, unroll(N) and nounroll.
func (p *parser) unrollPragma(d *directive) {
	p.unroll = ast.Unroll{Set: true}
	switch {
	case d.name == "nounroll":
		p.unroll.Count = 1
	case d.more():
		p.unroll.X = p.argument(d)
	}
}

// loopPragma applies the unrolling options of #pragma clang loop; the other options are
// hints.
func (p *parser) loopPragma(d *directive) {
	for d.more() {
		at, option := d.at(), d.word()
		if !d.accept("(") {
			p.errs.Addf(at, "#pragma clang loop takes options such as unroll(enable)")
			return
		}
		first := d.i
		for depth := 1; ; d.i++ {
			if !d.more() {
				p.errs.Addf(at, "#pragma clang loop: expected ')' after '%s'", option)
				return
			}
			if t := &d.args[d.i]; t.Is("(") {
				depth++
			} else if t.Is(")") {
				depth--
			}
			if depth == 0 {
				break
			}
		}
		value := &directive{pragma: d.pragma, name: d.name, args: d.args[first:d.i]}
		d.i++
		switch option {
		case "unroll":
			switch mode := value.word(); mode {
			case "enable", "full":
				p.unroll = ast.Unroll{Set: true}
			case "disable":
				p.unroll = ast.Unroll{Set: true, Count: 1}
			default:
				p.errs.Addf(at, "unroll takes enable, full or disable, not '%s'", mode)
			}
		case "unroll_count":
			p.unroll = ast.Unroll{Set: true, X: p.argument(value)}
		case "vectorize", "vectorize_width", "vectorize_predicate", "interleave", "interleave_count", "distribute",
			"pipeline", "pipeline_initiation_interval":
		default:
			p.errs.Addf(at, "#pragma clang loop has no option '%s'", option)
			return
		}
	}
}

// vectorizePragma applies #pragma simt loop vectorize(enable) and vectorize(disable).
func (p *parser) vectorizePragma(d *directive) {
	at, option := d.at(), d.word()
	open := d.accept("(")
	mode := d.word()
	switch {
	case option != "vectorize" || !open || !d.accept(")") || d.more():
		p.errs.Addf(at, "#pragma simt loop takes vectorize(enable) or vectorize(disable)")
	case mode == "enable":
		p.vectorize = ast.VectorizeRequired
	case mode == "disable":
		p.vectorize = ast.VectorizeForbidden
	default:
		p.errs.Addf(at, "vectorize takes enable or disable, not '%s'", mode)
	}
}

// argument parses the rest of d as an expression. It returns nil after an error.
func (p *parser) argument(d *directive) (x ast.Expr) {
	q := newParser(d.args[d.i:], p.opts, p.errs)
	q.scopes = p.scopes
	if len(q.toks) == 1 {
		p.errs.Addf(d.tok.At(), "#pragma %s: expected an expression", d.name)
		return nil
	}
	q.protect(func() {
		x = q.conditional()
		if q.kind() != token.EOF {
			q.fail("#pragma %s: expected the end of the line, found %s", d.name, q.describe())
		}
	})
	return x
}

// packing is an entry of the stack of #pragma pack: the alignment in force before the
// push.
type packing struct {
	label string
	align int64
	at    pos
}

// packPragma applies #pragma pack as clang does: (), (n), (push), (push, n), (push,
// label), (push, label, n), the same with pop, and (show).
func (p *parser) packPragma(d *directive) {
	fail := func() {
		p.errs.Addf(d.tok.At(), "#pragma pack takes (n), (push), (push, n), (pop) or () with n 1, 2, 4, 8 or 16; push and pop may have a label before n")
	}
	if !d.accept("(") {
		fail()
		return
	}
	var action, label string
	set, align := true, int64(0) // pack() restores the default
	if !d.accept(")") {
		if d.accept("push") {
			action = "push"
		} else if d.accept("pop") {
			action = "pop"
		} else if d.accept("show") {
			action = "show"
		}
		if action != "" {
			set = false
			if d.accept(",") && d.more() && d.args[d.i].Kind == token.Ident {
				label = d.word()
				d.accept(",")
			}
		}
		if d.more() && d.args[d.i].Kind == token.Int {
			n, ok := packAlign[d.word()]
			if !ok || action == "show" {
				fail()
				return
			}
			set, align = true, n
		}
		if !d.accept(")") || action == "" && len(d.args) != 3 {
			fail()
			return
		}
	}
	if d.more() {
		fail()
		return
	}
	switch action {
	case "show":
		p.errs.Warnf(d.tok.At(), "the value of #pragma pack is %d", p.pack)
		return
	case "push":
		p.packs = append(p.packs, packing{label, p.pack, d.tok.At()})
	case "pop":
		n := len(p.packs) - 1
		for label != "" && n >= 0 && p.packs[n].label != label {
			n--
		}
		if n >= 0 {
			p.pack, p.packs = p.packs[n].align, p.packs[:n]
		} else {
			p.errs.Warnf(d.tok.At(), "#pragma pack(pop) finds nothing that was pushed%s", map[bool]string{true: " as '" + label + "'"}[label != ""])
		}
	}
	if set {
		p.pack = align
	}
}

// packAlign lists the alignments accepted by #pragma pack; 0 is the default.
var packAlign = map[string]int64{"0": 0, "1": 1, "2": 2, "4": 4, "8": 8, "16": 16}

// unpopped warns about entries that #pragma pack pushed but never popped.
func (p *parser) unpopped() {
	for _, k := range p.packs {
		p.errs.Warnf(k.at, "#pragma pack(push) is not popped before the end of the file")
	}
}
