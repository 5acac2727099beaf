package preprocess

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/diag"
)

// typed is an exact integer with its C signedness.
type typed struct {
	v *big.Int
	u bool
}

// wrap reduces x to the range of its type.
func (x typed) wrap() typed {
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	v := new(big.Int).Mod(x.v, two64)
	if !x.u && v.Bit(63) == 1 {
		v.Sub(v, two64)
	}
	return typed{v, x.u}
}

func typedBool(b bool) typed {
	if b {
		return typed{v: big.NewInt(1)}
	}
	return typed{v: new(big.Int)}
}

// randomExpr returns a fully parenthesized expression and its value, computed with
// unbounded integers.
func randomExpr(r *rand.Rand, depth int) (string, typed) {
	if depth == 0 || r.Intn(6) == 0 {
		n := []int64{0, 1, 2, 3, 7, 63, 64, 255, 1 << 31, 1<<63 - 1}[r.Intn(10)]
		switch r.Intn(4) {
		case 0:
			return fmt.Sprintf("%#xu", n), typed{big.NewInt(n), true}
		case 1:
			return fmt.Sprintf("(-%d)", n), typed{v: big.NewInt(-n)}
		case 2:
			return fmt.Sprintf("0%oL", n), typed{v: big.NewInt(n)}
		}
		return fmt.Sprint(n), typed{v: big.NewInt(n)}
	}
	xs, x := randomExpr(r, depth-1)
	if r.Intn(5) == 0 {
		switch op := []string{"-", "~", "!", "+"}[r.Intn(4)]; op {
		case "-":
			return "(- " + xs + ")", typed{new(big.Int).Neg(x.v), x.u}.wrap()
		case "~":
			return "(~" + xs + ")", typed{new(big.Int).Not(x.v), x.u}.wrap()
		case "!":
			return "(!" + xs + ")", typedBool(x.v.Sign() == 0)
		default:
			return "(+ " + xs + ")", x
		}
	}
	ys, y := randomExpr(r, depth-1)
	both := x.u || y.u
	a, b := typed{x.v, both}.wrap(), typed{y.v, both}.wrap()
	cmp := a.v.Cmp(b.v)
	res := typed{new(big.Int), both}
	ops := []string{"+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "?", "<<", ">>"}
	op := ops[r.Intn(len(ops))]
	text := "(" + xs + " " + op + " " + ys + ")"
	switch op {
	case "+":
		res.v.Add(a.v, b.v)
	case "-":
		res.v.Sub(a.v, b.v)
	case "*":
		res.v.Mul(a.v, b.v)
	case "/", "%":
		if b.v.Sign() == 0 {
			return xs, x
		}
		q, rem := new(big.Int).QuoRem(a.v, b.v, new(big.Int))
		res.v = q
		if op == "%" {
			res.v = rem
		}
	case "&":
		res.v.And(a.v, b.v)
	case "|":
		res.v.Or(a.v, b.v)
	case "^":
		res.v.Xor(a.v, b.v)
	case "<":
		return text, typedBool(cmp < 0)
	case ">":
		return text, typedBool(cmp > 0)
	case "<=":
		return text, typedBool(cmp <= 0)
	case ">=":
		return text, typedBool(cmp >= 0)
	case "==":
		return text, typedBool(cmp == 0)
	case "!=":
		return text, typedBool(cmp != 0)
	case "&&":
		return text, typedBool(x.v.Sign() != 0 && y.v.Sign() != 0)
	case "||":
		return text, typedBool(x.v.Sign() != 0 || y.v.Sign() != 0)
	case "?":
		zs, z := randomExpr(r, depth-1)
		pick := z
		if x.v.Sign() != 0 {
			pick = y
		}
		return fmt.Sprintf("(%s ? %s : %s)", xs, ys, zs), typed{pick.v, y.u || z.u}.wrap()
	case "<<", ">>":
		n := r.Intn(64)
		if op == "<<" {
			res = typed{new(big.Int).Lsh(x.v, uint(n)), x.u}
		} else {
			res = typed{new(big.Int).Rsh(x.v, uint(n)), x.u}
		}
		return fmt.Sprintf("(%s %s %d)", xs, op, n), res.wrap()
	}
	return text, res.wrap()
}

func TestExpressionsAgainstExactArithmetic(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for i := 0; i < 5000; i++ {
		text, want := randomExpr(r, 4)
		// Compares the bits of the value, and its signedness: -1 < 0u is false.
		source := fmt.Sprintf("#if %s == %du && (((0 ? %s : -1) < 0) == %d)\nyes\n#endif\n",
			text, new(big.Int).Mod(want.v, new(big.Int).Lsh(big.NewInt(1), 64)), text, map[bool]int{true: 0, false: 1}[want.u])
		var errs diag.List
		got := Run("x.cl", source, Options{}, &errs)
		require.NoError(t, errs.Err(), source)
		require.Equal(t, []string{"yes"}, spellings(got), source)
	}
}
