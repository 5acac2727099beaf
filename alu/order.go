package alu

// Order is how two integers may compare, as signed and as unsigned numbers: a set of
// Less, Equal and Greater each.
type Order struct{ Signed, Unsigned uint8 }

// How two numbers may compare.
const (
	Less = 1 << iota
	Equal
	Greater
	anyOrder = Less | Equal | Greater
)

// AnyOrder is that of two numbers of which nothing is known.
var AnyOrder = Order{anyOrder, anyOrder}

var orders = map[Op]Order{
	Eq: {Equal, Equal}, Ne: {Less | Greater, Less | Greater},
	Slt: {Less, anyOrder}, Sle: {Less | Equal, anyOrder},
	Ult: {anyOrder, Less}, Ule: {anyOrder, Less | Equal},
}

// Exchanged has, for comparisons by order, what holds between the exchanged operands where
// they do not: x < y or else y <= x.
var Exchanged = map[Op]Op{Slt: Sle, Sle: Slt, Ult: Ule, Ule: Ult}

// Monotone has the operations whose result only grows or only falls as the first operand
// grows and the second stays, both as signed numbers, or as unsigned ones.
var Monotone = map[Op]struct{ Signed bool }{
	UDiv: {false}, LShr: {false}, UMulHi: {false},
	SDiv: {true}, AShr: {true}, SMulHi: {true},
}

// OrderOf is how the operands of op compare where it holds, if it compares integers.
func OrderOf(op Op) (o Order, ok bool) {
	o, ok = orders[op]
	return o, ok
}

// Swapped is the order of the second number and the first.
func (o Order) Swapped() Order {
	turn := func(s uint8) uint8 { return s&Equal | s&Less<<2 | s&Greater>>2 }
	return Order{turn(o.Signed), turn(o.Unsigned)}
}

// Without is what is left when a comparison does not hold.
func (o Order) Without() Order {
	rest := func(s uint8) uint8 {
		if s == anyOrder {
			return s
		}
		return anyOrder &^ s
	}
	return Order{rest(o.Signed), rest(o.Unsigned)}
}

// And is what is left where both are known.
func (o Order) And(p Order) Order { return Order{o.Signed & p.Signed, o.Unsigned & p.Unsigned} }

// Decides reports whether the comparison q must hold where o does, or must not.
func (o Order) Decides(q Order) (holds, known bool) {
	if o.Signed&Equal == 0 || o.Unsigned&Equal == 0 { // numbers are equal in both ways
		o.Signed, o.Unsigned = o.Signed&^Equal, o.Unsigned&^Equal
	}
	within := o.Signed&^q.Signed == 0 && o.Unsigned&^q.Unsigned == 0
	never := o.Signed&q.Signed == 0 || o.Unsigned&q.Unsigned == 0
	return within, within != never
}
