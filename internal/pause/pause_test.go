package pause

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := For(t.Context(), time.Hour); err != nil || time.Since(began) != time.Hour {
			t.Errorf("waited %v: %v", time.Since(began), err)
		}
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(why) })
		began = time.Now()
		if err := For(ctx, time.Hour); err != why || time.Since(began) != time.Minute {
			t.Errorf("waited %v: %v", time.Since(began), err)
		}
		if err := For(ctx, 0); err != why {
			t.Errorf("a pause of nothing after the end: %v", err)
		}
	})
}
