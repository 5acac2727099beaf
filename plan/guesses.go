package plan

// What the code does not tell is guessed: how often branches are mispredicted,
// how far lanes go apart, how much of its work the machine overlaps. The guesses
// are those with which the costs of measured kernels (utest/bench --plan) come
// out best.
const (
	// exitWrong, exitWrongTest and exitWrongMask are how often the end of a loop is
	// mispredicted, each time it is run: by an order of one work-item's values, by
	// their bits or remainders, and by a mask, that is by the last of many lanes.
	// Above 1 stands for what the mistake delays.
	exitWrong     = 0.33
	exitWrongTest = 1
	exitWrongMask = 1.25

	// wrong, wrongTest and wrongMask are how often a branch is mispredicted that
	// goes each way as often as the other: one that work-items decide by an order,
	// one that they decide by bits or remainders, and one on a mask.
	wrong     = 0.045
	wrongTest = 0.16
	wrongMask = 0.048

	// overlap is the exponent by which the time that operations take and the time
	// that chains of them take make up a loop's: at infinity, all of the smaller
	// is hidden behind the larger.
	overlap = 2.3

	// alike is the share of vectors of one lane, falling with the root of the
	// width, in which all lanes agree not to run an arm that each may take.
	alike = 0.35

	// oneValue is how often a number of which nothing is known has a certain value.
	oneValue = 0.25

	// full is how often a region that has code for when no lane is missing is run
	// so: most are behind a look at the end of the range.
	full = 0.9

	// Of W lanes the slowest takes 1 + wasted * log2(W)^wastedPower times the
	// iterations of the average one.
	wasted      = 0.072
	wastedPower = 0.34
)
