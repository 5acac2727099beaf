package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// body lowers the statements of fn in the current frame. Control continues in frame.exit,
// which the caller starts.
func (l *lowerer) body(fn *ast.Func) {
	l.stmt(fn.Body)
	l.at(fn.Body.End)
	l.jump(l.frame.exit)
	for _, b := range l.frame.openLabel {
		l.seal(b)
	}
	l.seal(l.frame.exit)
}

func (l *lowerer) stmt(s ast.Stmt) {
	if l.full() {
		return
	}
	switch s := s.(type) {
	case *ast.Block:
		for _, item := range s.Items {
			l.stmt(item)
		}
	case *ast.ExprStmt:
		l.effect(s.X)
	case *ast.Declaration:
		for _, v := range s.Vars {
			l.declaration(v)
		}
	case *ast.If:
		l.ifStmt(s)
	case *ast.For:
		if s.Init != nil {
			l.stmt(s.Init)
		}
		l.whileLoop(s, s.Cond, s.Body, s.Post, s.Unroll, s.Vectorize)
	case *ast.While:
		l.whileLoop(s, s.Cond, s.Body, nil, s.Unroll, s.Vectorize)
	case *ast.DoWhile:
		l.doWhile(s)
	case *ast.Switch:
		l.switchStmt(s)
	case *ast.Case:
		if b := l.frame.cases[s]; b != nil {
			l.at(s.At)
			l.jump(b)
			l.startSealed(b)
		}
		if s.Body != nil {
			l.stmt(s.Body)
		}
	case *ast.Labeled:
		l.placeLabel(s)
		if s.Body != nil {
			l.stmt(s.Body)
		}
	case *ast.Goto:
		l.at(s.At)
		l.jump(l.label(s.Label))
		l.dead()
	case *ast.Break:
		l.leaveTo(s, l.frame.breakTo[s.Target])
	case *ast.Continue:
		l.leaveTo(s, l.frame.continueTo[s.Target])
	case *ast.Return:
		l.returnStmt(s)
	}
}

func (l *lowerer) leaveTo(s ast.Stmt, to *kernel.Block) {
	if to == nil {
		return
	}
	l.at(s.Pos())
	l.jump(to)
	l.dead()
}

func (l *lowerer) declaration(v *ast.Var) {
	l.at(v.At)
	switch {
	case v.Space == types.Constant:
	case v.Extern && v.Init == nil:
	default:
		if v.Space == types.Local {
			return
		}
		l.initialize(v)
	}
}

// label returns the block of a label that is the target of a goto.
func (l *lowerer) label(lab *ast.Label) *kernel.Block {
	if b := l.frame.labels[lab]; b != nil {
		return b
	}
	if l.frame.labels == nil {
		l.frame.labels = map[*ast.Label]*kernel.Block{}
	}
	b := l.newBlock(hint(lab.Name))
	l.frame.labels[lab] = b
	l.frame.openLabel = append(l.frame.openLabel, b)
	return b
}

func (l *lowerer) ifStmt(s *ast.If) {
	then, join := l.newBlock("then"), l.newBlock("endif")
	els := join
	if s.Else != nil {
		els = l.newBlock("else")
	}
	l.condJump(s.Cond, then, els)
	l.startSealed(then)
	l.stmt(s.Then)
	l.jump(join)
	if s.Else != nil {
		l.startSealed(els)
		l.stmt(s.Else)
		l.jump(join)
	}
	l.startSealed(join)
}

// enter records the targets of break and continue in s.
func (l *lowerer) enter(s ast.Stmt, leave, again *kernel.Block) {
	if l.frame.breakTo == nil {
		l.frame.breakTo = map[ast.Stmt]*kernel.Block{}
		l.frame.continueTo = map[ast.Stmt]*kernel.Block{}
	}
	l.frame.breakTo[s] = leave
	if again != nil {
		l.frame.continueTo[s] = again
	}
}

// inLoop lowers the loop with header head and records there its position and the
// unrolling and vectorization requested by the source.
func (l *lowerer) inLoop(head *kernel.Block, u ast.Unroll, v ast.Vectorize, emit func()) {
	switch {
	case u.Set && u.Count > 0:
		head.Unroll = min(u.Count, kernel.UnrollFull)
	case u.Set:
		head.Unroll = kernel.UnrollFull
	}
	head.At = l.pos
	if v != ast.VectorizeAuto {
		l.f.Requests = append(l.f.Requests, kernel.LoopRequest{At: l.pos, Forbidden: v == ast.VectorizeForbidden})
	}
	if v == ast.VectorizeRequired && !u.Set { // otherwise no loop may remain
		head.Unroll = 1
	}
	around := l.loopHead
	l.loopHead = head
	l.start(head)
	emit()
	l.seal(head)
	l.loopHead = around
}

func (l *lowerer) whileLoop(s ast.Stmt, cond ast.Expr, body ast.Stmt, post ast.Expr, u ast.Unroll, v ast.Vectorize) {
	head, in, done := l.newBlock("loop"), l.newBlock("body"), l.newBlock("done")
	next := head
	if post != nil {
		next = l.newBlock("next")
	}
	l.enter(s, done, next)
	l.at(s.Pos())
	l.jump(head)
	l.inLoop(head, u, v, func() {
		if cond != nil {
			l.condJump(cond, in, done)
		} else {
			l.jump(in)
		}
		l.startSealed(in)
		l.stmt(body)
		if post != nil {
			l.jump(next)
			l.startSealed(next)
			l.effect(post)
		}
		l.jump(head)
	})
	l.startSealed(done)
}

func (l *lowerer) doWhile(s *ast.DoWhile) {
	head, next, done := l.newBlock("loop"), l.newBlock("next"), l.newBlock("done")
	l.enter(s, done, next)
	l.at(s.At)
	l.jump(head)
	l.inLoop(head, s.Unroll, s.Vectorize, func() {
		l.stmt(s.Body)
		l.jump(next)
		l.startSealed(next)
		l.condJump(s.Cond, head, done)
	})
	l.startSealed(done)
}

// maxRange is the number of values up to which a case range is listed value by value.
const maxRange = 16

func (l *lowerer) switchStmt(s *ast.Switch) {
	x := l.scalar(s.X)
	l.at(s.At)
	if x.Type == alu.I1 {
		x = l.conv(alu.ZExt, alu.I32, x)
	}
	done := l.newBlock("done")
	l.enter(s, done, nil)
	if l.frame.cases == nil {
		l.frame.cases = map[*ast.Case]*kernel.Block{}
	}
	def := done
	if s.Default != nil {
		def = l.newBlock("default")
		l.frame.cases[s.Default] = def
	}
	mask := x.Type.Mask()
	var values []uint64
	var targets []*kernel.Block
	for _, c := range s.Cases {
		if c.IsDefault {
			continue
		}
		b := l.newBlock("case")
		l.frame.cases[c] = b
		lo, hi := uint64(c.Low), uint64(c.High)
		switch span := (hi - lo) & mask; {
		case c.Hi == nil:
			values, targets = append(values, lo&mask), append(targets, b)
		case span < maxRange:
			for i := range span + 1 {
				values, targets = append(values, (lo+i)&mask), append(targets, b)
			}
		default: // compare with the range before the switch; no two cases overlap
			rest := l.newBlock("")
			d := l.op(alu.Sub, x, l.konst(x.Type, lo))
			l.branch(l.op(alu.Ule, d, l.konst(x.Type, span)), b, rest)
			l.startSealed(rest)
			l.pos.Added = true // the source passes control to the switch once, however many comparisons precede it
		}
	}
	l.dispatch(x, values, targets, def)
	l.at(s.At)
	l.dead()
	l.stmt(s.Body)
	l.jump(done)
	l.startSealed(done)
}

func (l *lowerer) dispatch(x *kernel.Value, values []uint64, targets []*kernel.Block, def *kernel.Block) {
	if x.Op == kernel.Const {
		for i, v := range values {
			if v == x.Const {
				def = targets[i]
			}
		}
		l.jump(def)
		return
	}
	if len(values) == 0 {
		l.jump(def)
		return
	}
	if l.isDead() {
		return
	}
	b := l.cur
	b.Kind, b.Cond, b.Cases, b.Pos = kernel.Switch, x, values, l.here()
	b.Edges = make([]kernel.Edge, 0, len(values)+1)
	for i, to := range append([]*kernel.Block{def}, targets...) {
		b.Edges = append(b.Edges, kernel.Edge{To: to})
		l.addPred(to, b, i)
	}
}

func (l *lowerer) returnStmt(s *ast.Return) {
	if s.X != nil {
		switch res := l.frame.result; {
		case types.IsVoid(s.X.Type()):
			l.effect(s.X)
		case isReg(s.X.Type()):
			for i, v := range l.expr(s.X) {
				l.write(res.ssa+variable(i), v)
			}
		default:
			from := l.object(s.X)
			l.at(s.At)
			to := place{typ: s.X.Type(), ssa: -1, base: res.addr, align: s.X.Type().Align()}
			l.copy(to, from)
		}
	}
	l.at(s.At)
	l.jump(l.frame.exit)
	l.dead()
}

// stmtExpr lowers the statements of ({ … }). The last one, if it gives the value, is not
// lowered; its expression is returned.
func (l *lowerer) stmtExpr(e *ast.StmtExpr) ast.Expr {
	item, last := e.Last()
	for i, s := range e.Body.Items {
		if i == item && last != nil {
			for s != last {
				labeled := s.(*ast.Labeled)
				l.placeLabel(labeled)
				s = labeled.Body
			}
			return last.X
		}
		l.stmt(s)
	}
	return nil
}

// placeLabel starts the block that gotos to s jump to.
func (l *lowerer) placeLabel(s *ast.Labeled) {
	if s.Label.Used {
		b := l.label(s.Label)
		l.at(s.At)
		l.jump(b)
		b.At = l.pos
		l.start(b)
	}
}
