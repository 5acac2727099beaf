package alu

// EvalLanes is Eval for each lane of out; dispatch on the operation and its types happens once. Operands
// that the operation does not have may be nil.
func EvalLanes(op Op, res, arg Type, out, a, b, c []uint64) {
	a = a[:len(out)]
	mask := res.Mask()
	switch {
	case op == Select:
		b, c = b[:len(out)], c[:len(out)]
		for l, on := range a {
			if on&1 != 0 {
				out[l] = b[l]
			} else {
				out[l] = c[l]
			}
		}
		return
	case len(b) < len(out):
		for l, x := range a {
			out[l] = Eval(op, res, arg, x, 0, 0)
		}
		return
	case len(c) >= len(out):
		for l, x := range a {
			out[l] = Eval(op, res, arg, x, b[l], c[l])
		}
		return
	}
	b = b[:len(out)]
	switch op { // the most frequent operations
	case Add:
		for l, x := range a {
			out[l] = (x + b[l]) & mask
		}
	case Sub:
		for l, x := range a {
			out[l] = (x - b[l]) & mask
		}
	case Mul:
		for l, x := range a {
			out[l] = x * b[l] & mask
		}
	case And:
		for l, x := range a {
			out[l] = x & b[l] & mask
		}
	case Or:
		for l, x := range a {
			out[l] = (x | b[l]) & mask
		}
	case Xor:
		for l, x := range a {
			out[l] = (x ^ b[l]) & mask
		}
	case Shl:
		w := uint64(arg.Bits()) - 1
		for l, x := range a {
			out[l] = x << (b[l] & w) & mask
		}
	case LShr:
		w := uint64(arg.Bits()) - 1
		for l, x := range a {
			out[l] = x >> (b[l] & w) & mask
		}
	case Eq:
		for l, x := range a {
			out[l] = bit(x == b[l])
		}
	case Ne:
		for l, x := range a {
			out[l] = bit(x != b[l])
		}
	case Ult:
		for l, x := range a {
			out[l] = bit(x < b[l])
		}
	case Ule:
		for l, x := range a {
			out[l] = bit(x <= b[l])
		}
	case Slt:
		for l, x := range a {
			out[l] = bit(arg.Signed(x) < arg.Signed(b[l]))
		}
	default:
		for l, x := range a {
			out[l] = Eval(op, res, arg, x, b[l], 0)
		}
	}
}
