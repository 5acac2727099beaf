// Package masks makes masks and their tests cheaper: live-out values of divergent loops, lane
// counts, votes, masks of the first and last lanes.
//
// It must not know which linearizer made the masks.
package masks
