package kernelclient

// LogMaker says how the log of a context that a host starts is kept. nil keeps it in memory.
type LogMaker func(ContextInfo, StartSpec) (LogOptions, error)

// For returns the options of the log of a context that is about to be started. Hosts call it
// once for each. With forget, StartSpec.Forget holds for all contexts of the host.
func (m LogMaker) For(info ContextInfo, start StartSpec, forget bool) (LogOptions, error) {
	var opt LogOptions
	if m != nil {
		var err error
		if opt, err = m(info, start); err != nil {
			return LogOptions{}, err
		}
	}
	opt.StartupTimeout, opt.Forget = start.StartupTimeout, start.Forget || forget
	return opt, nil
}

// Stopped returns the options with f called first once the context was stopped: a host
// keeps account of its contexts by it.
func (o LogOptions) Stopped(f func()) LogOptions {
	then := o.OnStop
	o.OnStop = func() {
		f()
		if then != nil {
			then()
		}
	}
	return o
}
