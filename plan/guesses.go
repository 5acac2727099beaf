package plan

// What the code does not tell is guessed: how often branches are mispredicted, how
// far lanes go apart. The guesses are those with which the costs of measured kernels
// (utest/bench --plan) come out best.
const (
	// exitWrong, exitWrongTest, exitWrongData and exitWrongMask are how often the
	// end of a loop is mispredicted, each time it is run: by an order of one
	// work-item's values, by their bits or remainders, by what it has just found in
	// memory, and by a mask, that is by the last of many lanes. Above 1 stands for
	// what the mistake delays.
	exitWrong     = 0.22
	exitWrongTest = 1
	exitWrongData = 0.85
	exitWrongMask = 1.4

	// wrong, wrongTest, wrongData and wrongMask are how often a branch is
	// mispredicted that goes each way as often as the other: one that work-items
	// decide by an order, by bits or remainders, by what they have just found in
	// memory that is their own, and one on a mask. known is that for one by memory
	// that all share, such as an interpreter's program.
	wrong     = 0.084
	wrongTest = 0.69
	wrongData = 0.27
	wrongMask = 0.098
	known     = 0.016

	// bound is how close to 0 or 1 a number lies with which only few are compared on
	// its far side: as large a share as it is far, but beyond of them at least.
	bound  = 0.05
	beyond = 0.002

	// nearby is the share of its cost that a load has which follows one beside it:
	// the lines of the cache are the same.
	nearby = 0.6

	// trips is how often the header of a loop is taken to run of which nothing is
	// known, mostTrips the largest number that is told from larger ones.
	trips     = 8.0
	mostTrips = MostRounds + 1

	// shared is how often the header of a loop runs whose rounds are part of those
	// of the loop around.
	shared = 2.0

	// stepping is how often the header of a loop runs that steps by 1, 2, 3 and so on
	// in the rounds of the loop around, where it would go round trips - 1 times if it
	// stepped by 1.
	stepping = 3.6

	// sameData is how likely two bytes are equal one of which was in memory, where
	// a loop goes on if they are.
	sameData = 0.18

	// alike is the share of vectors of one lane, falling with the root of the
	// width, in which all lanes agree not to run an arm that each may take.
	alike = 0.24

	// oneValue is how often a number of which nothing is known has a certain value,
	// farValue one that is far from 0, and sameValue how often two such numbers are
	// the same.
	oneValue  = 0.25
	farValue  = 0.002
	sameValue = 0.07

	// rare is how often a work-item goes where the source says that hardly any does.
	rare = 0.0005

	// entering is how often the way is taken that has a loop on it, beginning that
	// into a loop by its own test, and within how often a work-item's number lies in
	// the range that a kernel asks for.
	entering  = 0.6
	beginning = 0.9
	within    = 0.95

	// laneTest is the share of a scalar store for a lane, if it is a toss-up whether
	// the lane stores, that the question takes, laneStore that of the store. The
	// rest are wrong guesses.
	laneTest  = 0.13
	laneStore = 0.32

	// full is how often a region that has code for when no lane is missing is run
	// so: most are behind a look at the end of the range.
	full = 0.9

	// Of W lanes the slowest takes 1 + wasted * log2(W)^wastedPower times the
	// iterations of the average one, if numbers out of memory decide, such as lengths,
	// 1 + lengths * (W-1)/(W+1) times, if what has no order decides
	// 1 + unevenly * log2(W)^unevenPower times, and if what it comes across does,
	// 1 + wastedSearch * log2(W) times.
	wasted       = 0.1
	wastedPower  = 1.1
	lengths      = 0.5
	unevenly     = 0.1
	unevenPower  = 1.25
	wastedSearch = 0.3

	// Where lanes go on to a limit that they share, each by steps of its own, the slowest
	// takes 1 + unpaced * log2(W) times the iterations of the average one. Of numbers for
	// which a loop looks for a divisor undivided go through all of it: these take 1/undivided
	// times as many as the average.
	unpaced   = 0.025
	undivided = 0.16

	// inside is how many rounds of a loop inside, of which little is known, there are for
	// each round of the loop around.
	inside = 0.25
)
