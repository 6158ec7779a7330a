package main

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// limit is a flag that takes seconds; 0 is no limit.
type limit time.Duration

// longest is what the flags take at most: a hundred years of seconds.
const longest = 100 * 366 * 24 * 3600

func limitFlag(f *pflag.FlagSet, l *limit, name string, seconds int, usage string) {
	*l = limit(time.Duration(seconds) * time.Second)
	f.Var(l, name, usage)
}

// Set implements pflag.Value.
func (l *limit) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > longest {
		return errors.New("it takes a number of seconds, 0 or more")
	}
	*l = limit(n * float64(time.Second))
	return nil
}

// String implements pflag.Value.
func (l *limit) String() string {
	return strconv.FormatFloat(time.Duration(*l).Seconds(), 'f', -1, 64)
}

// Type implements pflag.Value.
func (l *limit) Type() string { return "SECONDS" }

// orForever is the limit for a host, where 0 means the host's own.
func (l limit) orForever() time.Duration {
	if l == 0 {
		return longest * time.Second
	}
	return time.Duration(l)
}
