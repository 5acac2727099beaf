package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// driverName is the file name of the OpenCL driver.
const driverName = "libsimtc-opencl.so"

// icdName is the file with the path of the driver, which the loader reads.
const icdName = "simtc.icd"

// openclPlaces are the directories of the driver and of its .icd file.
type openclPlaces struct{ library, vendors string }

// systemPlaces and userPlaces are variables for tests.
var (
	systemPlaces = func() openclPlaces { return openclPlaces{"/usr/local/lib", "/etc/OpenCL/vendors"} }
	userPlaces   = func() (openclPlaces, error) {
		data := os.Getenv("XDG_DATA_HOME")
		if data == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return openclPlaces{}, err
			}
			data = filepath.Join(home, ".local", "share")
		}
		dir := filepath.Join(data, "simtc", "opencl")
		return openclPlaces{dir, filepath.Join(dir, "vendors")}, nil
	}
)

// openclFlags are the flags that select where the driver is.
type openclFlags struct{ user, system bool }

func (o *openclFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.user, "user", false, "for this user; programs need the variable that \"simtc opencl env\" prints")
	cmd.Flags().BoolVar(&o.system, "system", false, "for all users: in /usr/local/lib and /etc/OpenCL/vendors")
	cmd.MarkFlagsMutuallyExclusive("user", "system")
}

// places returns the directories. The default is that of the system for its administrator.
func (o *openclFlags) places() (openclPlaces, error) {
	if o.system || !o.user && os.Geteuid() == 0 {
		return systemPlaces(), nil
	}
	return userPlaces()
}

func openclCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "opencl",
		Short: "Install the OpenCL driver, with which OpenCL programs run on simtc",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var o openclFlags
	install := &cobra.Command{
		Use:   "install [--user|--system] [LIBRARY]",
		Short: "Copy the driver to its place and let the OpenCL loader find it",
		Long: "Copy the driver, by default ./" + driverName + ", and write the file " + icdName + " for the\n" +
			"OpenCL loader. It is built by\n\n  go build -buildmode=c-shared -o " + driverName + " ./opencl/driver",
		Args: cobra.MaximumNArgs(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			p, err := o.places()
			if err != nil {
				return err
			}
			library := driverName
			if len(args) > 0 {
				library = args[0]
			}
			return p.install(library, cmd.OutOrStdout())
		}),
	}
	o.add(install)
	var u openclFlags
	uninstall := &cobra.Command{
		Use:   "uninstall [--user|--system]",
		Short: "Remove the driver",
		Args:  nothing,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			p, err := u.places()
			if err != nil {
				return err
			}
			return p.uninstall(cmd.OutOrStdout())
		}),
	}
	u.add(uninstall)
	env := &cobra.Command{
		Use:     "env",
		Short:   "Print the command by which a shell uses the driver of this user, or else of the system",
		Example: "  eval \"$(simtc opencl env)\"",
		Args:    nothing,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			p, err := userPlaces()
			if err != nil {
				return err
			}
			if _, err := os.Stat(filepath.Join(p.vendors, icdName)); err != nil {
				p = systemPlaces()
			}
			if _, err := os.Stat(filepath.Join(p.vendors, icdName)); err != nil {
				return errors.New("the driver is not installed: see simtc opencl install")
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "export OCL_ICD_VENDORS='%s'\n", strings.ReplaceAll(p.vendors, "'", `'\''`))
			return err
		}),
	}
	cmd.AddCommand(install, uninstall, env)
	return cmd
}

// install copies the driver to its place.
func (p openclPlaces) install(library string, w io.Writer) error {
	data, err := os.ReadFile(library)
	if err != nil {
		return fmt.Errorf("%w; build it by: go build -buildmode=c-shared -o %s ./opencl/driver", err, driverName)
	}
	if !strings.HasPrefix(string(data[:min(len(data), 4)]), "\x7fELF") {
		return fmt.Errorf("%s is no shared library", library)
	}
	to := filepath.Join(p.library, driverName)
	for _, dir := range []string{p.library, p.vendors} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	// Programs may be using the old file: it is replaced, not overwritten.
	for _, f := range []struct {
		path string
		data []byte
	}{{to, data}, {filepath.Join(p.vendors, icdName), []byte(to + "\n")}} {
		if err := os.WriteFile(f.path+".new", f.data, 0o644); err != nil {
			return err
		}
		if err := os.Rename(f.path+".new", f.path); err != nil {
			return err
		}
		fmt.Fprintln(w, f.path)
	}
	return nil
}

// uninstall removes the files of install.
func (p openclPlaces) uninstall(w io.Writer) error {
	found := false
	for _, path := range []string{filepath.Join(p.vendors, icdName), filepath.Join(p.library, driverName)} {
		err := os.Remove(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return err
		default:
			found = true
			fmt.Fprintln(w, path)
		}
	}
	if !found {
		return fmt.Errorf("the driver is not installed in %s", p.library)
	}
	return nil
}
