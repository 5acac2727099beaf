package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
)

// versionReport is the JSON output of version.
type versionReport struct {
	Version string            `json:"version"`
	Go      string            `json:"go"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
	Engine  string            `json:"engine"`
	Targets map[string]string `json:"targets"` // "ok", or the reason why it cannot run
	Default string            `json:"default"` // the target of --target auto: the first that can run
}

func versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and the targets that run on this machine",
		Args:  nothing,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			v := versionReport{
				Version: "devel", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
				Engine: simtc.Engine(), Targets: map[string]string{},
			}
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
				v.Version = info.Main.Version
			}
			for _, t := range simtc.Targets() {
				v.Targets[t] = "ok"
				if v.Default == "" && simtc.Available(t) == nil {
					v.Default = t
				}
				if err := simtc.Available(t); err != nil {
					v.Targets[t] = err.Error()
				}
			}
			w := cmd.OutOrStdout()
			if asJSON {
				return json.NewEncoder(w).Encode(v)
			}
			fmt.Fprintf(w, "simtc %s %s %s/%s, WebAssembly by %s\n", v.Version, v.Go, v.OS, v.Arch, v.Engine)
			for _, t := range simtc.Targets() {
				note := ""
				if t == v.Default {
					note = ", the default"
				}
				fmt.Fprintf(w, "  %-10s %s%s\n", t, v.Targets[t], note)
			}
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object on one line")
	return cmd
}
