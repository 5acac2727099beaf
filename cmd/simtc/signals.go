package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// stopSignal is the error of a command that a signal stopped.
type stopSignal struct{ signal syscall.Signal }

// Error describes the effect of the signal.
func (s stopSignal) Error() string {
	if s.signal == syscall.SIGTERM {
		return "terminated"
	}
	return "interrupted"
}

// status returns the exit status that shells report for a process that the signal killed.
func (s stopSignal) status() int { return 128 + int(s.signal) }

// context returns the context of launches, which SIGINT, SIGTERM and --timeout end. A second signal,
// or one outside of launches, kills the process.
func (r *rangeFlags) context(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(cmd.Context())
	stop := func() { cancel(nil) }
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			number, _ := s.(syscall.Signal)
			cancel(stopSignal{number})
		case <-ctx.Done():
		}
	}()
	if r.timeout <= 0 {
		return ctx, stop
	}
	timed, end := context.WithTimeoutCause(ctx, r.timeout, tooLate(r.timeout))
	return timed, func() { end(); stop() }
}
