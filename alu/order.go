package alu

// Order is the possible outcomes of comparing two integers, as signed and as unsigned numbers: a set
// of Less, Equal and Greater each.
type Order struct{ Signed, Unsigned uint8 }

// The outcomes of a comparison.
const (
	Less = 1 << iota
	Equal
	Greater
	anyOrder = Less | Equal | Greater
)

// AnyOrder is the order of two unknown numbers.
var AnyOrder = Order{anyOrder, anyOrder}

var orders = map[Op]Order{
	Eq: {Equal, Equal}, Ne: {Less | Greater, Less | Greater},
	Slt: {Less, anyOrder}, Sle: {Less | Equal, anyOrder},
	Ult: {anyOrder, Less}, Ule: {anyOrder, Less | Equal},
}

// Exchanged maps an order comparison to the one that holds for exchanged operands if it does not:
// x < y or y <= x.
var Exchanged = map[Op]Op{Slt: Sle, Sle: Slt, Ult: Ule, Ule: Ult}

// Monotone has the operations that are monotonic in the first operand, both as signed or both as
// unsigned numbers.
var Monotone = map[Op]struct{ Signed bool }{
	UDiv: {false}, LShr: {false}, UMulHi: {false},
	SDiv: {true}, AShr: {true}, SMulHi: {true},
}

// OrderOf returns the order of the operands of op where it holds, if op compares integers.
func OrderOf(op Op) (o Order, ok bool) {
	o, ok = orders[op]
	return o, ok
}

// Swapped is the order of the exchanged operands.
func (o Order) Swapped() Order {
	turn := func(s uint8) uint8 { return s&Equal | s&Less<<2 | s&Greater>>2 }
	return Order{turn(o.Signed), turn(o.Unsigned)}
}

// Without is the order if a comparison does not hold.
func (o Order) Without() Order {
	rest := func(s uint8) uint8 {
		if s == anyOrder {
			return s
		}
		return anyOrder &^ s
	}
	return Order{rest(o.Signed), rest(o.Unsigned)}
}

// And is the order if both are known.
func (o Order) And(p Order) Order { return Order{o.Signed & p.Signed, o.Unsigned & p.Unsigned} }

// Decides reports whether o implies the comparison q, or its negation.
func (o Order) Decides(q Order) (holds, known bool) {
	if o.Signed&Equal == 0 || o.Unsigned&Equal == 0 { // equality is the same in both readings
		o.Signed, o.Unsigned = o.Signed&^Equal, o.Unsigned&^Equal
	}
	within := o.Signed&^q.Signed == 0 && o.Unsigned&^q.Unsigned == 0
	never := o.Signed&q.Signed == 0 || o.Unsigned&q.Unsigned == 0
	return within, within != never
}
