package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtc/simtc"
)

// remarkFlags are the flags for remarks.
type remarkFlags struct{ kinds string }

func (r *remarkFlags) add(f *pflag.FlagSet) {
	f.StringVar(&r.kinds, "remarks", "", "report, by source line, the effect of vectorization on branches, memory accesses and "+
		"loops, its cost and reason; optionally all or some `KINDS`, such as gather,scatter")
	f.Lookup("remarks").NoOptDefVal = "default"
}

func (r *remarkFlags) completions(cmd *cobra.Command) {
	names := []string{"default", "all"}
	for _, k := range simtc.RemarkKinds() {
		names = append(names, k.Name)
	}
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("remarks", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)))
}

// check validates the kinds before anything is compiled.
func (r *remarkFlags) check() error {
	if _, err := simtc.ChooseRemarks(nil, r.kinds); err != nil {
		return usageError{err}
	}
	return nil
}

// remarkHelp lists the kinds.
func remarkHelp() string {
	var b strings.Builder
	for _, k := range simtc.RemarkKinds() {
		about := k.About
		if k.Quiet {
			about += " (only on request)"
		}
		b.WriteString(entry(k.Name, 15, about))
	}
	return b.String()
}

// remarksReport is the JSON output for remarks alone.
type remarksReport struct {
	Remarks []simtc.Remark `json:"remarks"`
}

// of returns the requested remarks.
func (r *remarkFlags) of(ks []*simtc.Kernel) ([]simtc.Remark, error) {
	all, err := simtc.RemarksOf(ks)
	if err != nil {
		return nil, err
	}
	return simtc.ChooseRemarks(all, r.kinds)
}

// output prints remarks as the only output of the command.
func (r *remarkFlags) output(cmd *cobra.Command, p *simtc.Program, ks []*simtc.Kernel, asJSON bool) error {
	rs, err := r.of(ks)
	switch {
	case err != nil:
	case asJSON:
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(remarksReport{rs})
	default:
		_, err = io.WriteString(cmd.OutOrStdout(), p.FormatRemarks(rs))
	}
	return err
}

// print prints remarks in addition to the command's output: to the standard error, or as a part of
// its JSON.
func (r *remarkFlags) print(cmd *cobra.Command, p *simtc.Program, ks []*simtc.Kernel, asJSON bool) ([]simtc.Remark, error) {
	if r.kinds == "" {
		return nil, nil
	}
	rs, err := r.of(ks)
	if err == nil && !asJSON {
		_, err = io.WriteString(cmd.ErrOrStderr(), p.FormatRemarks(rs))
	}
	return rs, err
}
