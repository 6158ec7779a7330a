package jupyterface

import (
	"net/http"
	"time"
)

// likeVersion is the version of Jupyter Server whose interface this face has.
const likeVersion = "2.14.0"

func (f *Face) version(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]string{"version": likeVersion})
}

func (f *Face) status(w http.ResponseWriter, _ *http.Request) {
	kernels, clients := f.Figures()
	answer(w, http.StatusOK, map[string]any{
		"connections": clients, "kernels": kernels,
		"started": stamp(f.began), "last_activity": stamp(time.UnixMilli(f.active.Load())),
	})
}

// me answers who asks. There is one user: who has the token.
func (f *Face) me(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"identity": map[string]any{
			"username": "nbterm", "name": "nbterm", "display_name": "nbterm", "initials": "N", "avatar_url": nil, "color": nil,
		},
		"permissions": map[string]any{},
	})
}
