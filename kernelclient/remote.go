package kernelclient

import "context"

// AwaitRemote waits until it is known what a context's host calls it (ContextInfo.Remote),
// which for a sandbox is once it was made. It returns "" where the context ended before.
func AwaitRemote(ctx context.Context, c Context) (string, error) {
	if name := c.Info().Remote; name != "" {
		return name, nil
	}
	stream := c.Follow(Cursor{})
	defer stream.Close()
	for {
		if _, err := stream.Next(ctx); err != nil {
			return c.Info().Remote, ctx.Err()
		}
		if name := c.Info().Remote; name != "" {
			return name, nil
		}
	}
}
