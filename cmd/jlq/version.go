package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Long:  "version prints the version of jlq, of the source it was built from, and of Go.",
		Example: `  jlq version
  jlq version | cut -d' ' -f2`,
		Args: wantArgs(0, 0, "nothing"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionText(debug.ReadBuildInfo()))
			return err
		},
	}
}

// release is the version that the linker was told (-X main.release=v1.2.0), for
// builds outside of version control.
var release string

// versionText says what build information says: "jlq v1.2.0 (0a1b2c3d4e5f,
// modified) go1.26.0 linux/amd64".
func versionText(info *debug.BuildInfo, ok bool) string {
	version, source := "(unknown)", ""
	if ok {
		version, source = info.Main.Version, sourceText(info.Settings)
	}
	if release != "" {
		version = release
	}
	return fmt.Sprintf("jlq %s%s %s %s/%s", version, source, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func sourceText(settings []debug.BuildSetting) string {
	var revision, modified string
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = ", modified"
		}
	}
	if revision == "" {
		return ""
	}
	return " (" + revision + modified + ")"
}
