package opencl

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/clc/features"
	"github.com/simtc/simtc/opencl/cl"
)

// Config has the settings of a platform.
type Config struct {
	Target  string        // of package simtc; "": the best
	Threads int           // of the device; 0: one per core
	Timeout time.Duration // after which a launch is stopped; 0: never
	Dump    string        // the directory to which programs and launches are written; "": none
	Log     io.Writer     // nil: no log
	Debug   bool          // the log includes launches
	Output  io.Writer     // of printf; nil: the standard output
	Version string        // of the driver
}

// defaultTimeout is far above the time of a launch that makes progress.
const defaultTimeout = 10 * time.Minute

// FromEnvironment returns the settings of the environment: SIMTC_TARGET,
// SIMTC_DEVICE_THREADS, SIMTC_TIMEOUT (a duration; 0 is none), SIMTC_DUMP and SIMTC_LOG (info or
// debug). Settings that are not valid are reported on w and ignored.
func FromEnvironment(get func(string) string, w io.Writer) Config {
	c := Config{Timeout: defaultTimeout, Dump: get("SIMTC_DUMP")}
	wrong := func(name, want string) {
		fmt.Fprintf(w, "simtc: %s=%s is ignored: want %s\n", name, get(name), want)
	}
	if t := get("SIMTC_TARGET"); t != "" {
		if err := simtc.Available(t); err != nil {
			fmt.Fprintf(w, "simtc: SIMTC_TARGET=%s is ignored: %v\n", t, err)
		} else {
			c.Target = t
		}
	}
	if t := get("SIMTC_DEVICE_THREADS"); t != "" {
		if n, err := fmt.Sscanf(t, "%d", &c.Threads); n != 1 || err != nil || c.Threads < 1 || c.Threads > simtc.MaxThreads {
			c.Threads = 0
			wrong("SIMTC_DEVICE_THREADS", fmt.Sprintf("1 to %d", simtc.MaxThreads))
		}
	}
	if t := get("SIMTC_TIMEOUT"); t != "" {
		d, err := time.ParseDuration(t)
		if err != nil || d < 0 {
			wrong("SIMTC_TIMEOUT", "a duration as 30s, or 0")
		} else {
			c.Timeout = d
		}
	}
	switch level := get("SIMTC_LOG"); level {
	case "":
	case "info", "debug":
		c.Log, c.Debug = w, level == "debug"
	default:
		wrong("SIMTC_LOG", "info or debug")
	}
	return c
}

// Platform is the platform.
type Platform struct {
	object
	cfg    Config
	device *Device

	logging sync.Mutex
	dumps   atomic.Int64
	began   time.Time // the origin of device times
}

// NewPlatform returns a platform with one device.
func NewPlatform(cfg Config) *Platform {
	p := &Platform{cfg: cfg, began: time.Now()}
	p.create(nil)
	if p.cfg.Output == nil {
		p.cfg.Output = os.Stdout
	}
	if p.cfg.Version == "" {
		p.cfg.Version = "devel"
	}
	p.device = newDevice(p)
	return p
}

// Device returns the root device.
func (p *Platform) Device() *Device { return p.device }

// now returns the time of the device in nanoseconds.
func (p *Platform) now() uint64 { return uint64(time.Since(p.began)) + 1 }

// Timers returns the times of the device and of the host, which are the same.
func (p *Platform) Timers() (device, host uint64) {
	now := p.now()
	return now, now
}

// logf writes a line to the log.
func (p *Platform) logf(format string, args ...any) {
	if p.cfg.Log == nil {
		return
	}
	p.logging.Lock()
	defer p.logging.Unlock()
	fmt.Fprintf(p.cfg.Log, "simtc: "+format+"\n", args...)
}

// apiVersion is the version of the API, and of OpenCL C.
var apiVersion = features.MakeVersion(3, 0, 0)

// apiExtensions lists extensions of the API; those of OpenCL C are in package features.
var apiExtensions = []features.Extension{
	{Name: "cl_khr_icd", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_khr_create_command_queue", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_khr_device_uuid", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_khr_extended_versioning", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_khr_image2d_from_buffer", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_khr_suggested_local_work_size", Version: features.MakeVersion(1, 0, 0)},
	{Name: "cl_arm_printf", Version: features.MakeVersion(1, 0, 0)},
}

// usmExtension needs memory that host and device share at the same addresses.
var usmExtension = features.Extension{Name: "cl_intel_unified_shared_memory", Version: features.MakeVersion(1, 0, 0)}

// Extensions lists the extensions of the device.
func (d *Device) Extensions() []features.Extension {
	out := append([]features.Extension(nil), apiExtensions...)
	if d.shared {
		out = append(out, usmExtension)
	}
	return append(out, features.Extensions...)
}

func namesOf(list []features.Extension) string {
	var names []string
	for _, e := range list {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

func versionsOf(list []features.Extension) []namedVersion {
	var out []namedVersion
	for _, e := range list {
		out = append(out, namedVersion{e.Name, e.Version})
	}
	return out
}

// Info answers a query of clGetPlatformInfo.
func (p *Platform) Info(name int) (any, error) {
	switch name {
	case cl.PLATFORM_PROFILE:
		return "FULL_PROFILE", nil
	case cl.PLATFORM_VERSION:
		return "OpenCL 3.0 simtc " + p.cfg.Version, nil
	case cl.PLATFORM_NUMERIC_VERSION:
		return apiVersion, nil
	case cl.PLATFORM_NAME:
		return "simtc", nil
	case cl.PLATFORM_VENDOR:
		return "simtc", nil
	case cl.PLATFORM_EXTENSIONS:
		return namesOf(p.device.Extensions()), nil
	case cl.PLATFORM_EXTENSIONS_WITH_VERSION:
		return versionsOf(p.device.Extensions()), nil
	case cl.PLATFORM_ICD_SUFFIX_KHR:
		return "SIMTC", nil
	case cl.PLATFORM_HOST_TIMER_RESOLUTION:
		return uint64(1), nil
	}
	return nil, badName(name)
}
