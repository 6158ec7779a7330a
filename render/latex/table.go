package latex

// symbols are commands that stand for a character.
func symbols() map[string]string {
	return map[string]string{
		"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ϵ", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
		"theta": "θ", "vartheta": "ϑ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π",
		"varpi": "ϖ", "rho": "ρ", "varrho": "ϱ", "sigma": "σ", "varsigma": "ς", "tau": "τ", "upsilon": "υ", "phi": "ϕ",
		"varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ",
		"Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
		"infty": "∞", "partial": "∂", "nabla": "∇", "hbar": "ℏ", "ell": "ℓ", "Re": "ℜ", "Im": "ℑ", "aleph": "ℵ", "emptyset": "∅",
		"varnothing": "∅", "forall": "∀", "exists": "∃", "neg": "¬", "lnot": "¬", "prime": "′", "degree": "°", "circ": "∘",
		"sum": "∑", "prod": "∏", "int": "∫", "iint": "∬", "oint": "∮", "bigcup": "⋃", "bigcap": "⋂",
		"ldots": "…", "dots": "…", "cdots": "⋯", "vdots": "⋮", "ddots": "⋱", "angle": "∠", "dagger": "†", "star": "⋆", "bullet": "•",
		"langle": "⟨", "rangle": "⟩", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "vert": "|", "lvert": "|",
		"rvert": "|", "mid": " | ", "Vert": "‖", "lVert": "‖", "rVert": "‖", "lbrack": "[", "rbrack": "]", "lbrace": "{", "rbrace": "}",
		"{": "{", "}": "}", "%": "%", "$": "$", "&": "&", "#": "#", "_": "_", "|": "‖",
		"quad": "  ", "qquad": "    ", ",": " ", ";": " ", ":": " ", " ": " ", "!": "", ">": " ",
		"displaystyle": "", "textstyle": "", "limits": "", "nolimits": "", "big": "", "Big": "", "bigg": "", "Bigg": "",
	}
}

// relations are commands that stand between what they join.
func relations() map[string]string {
	return map[string]string{
		"leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡", "sim": "∼",
		"simeq": "≃", "cong": "≅", "propto": "∝", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉", "ni": "∋", "subset": "⊂",
		"subseteq": "⊆", "supset": "⊃", "supseteq": "⊇", "cup": "∪", "cap": "∩", "setminus": "∖", "land": "∧", "wedge": "∧",
		"lor": "∨", "vee": "∨", "oplus": "⊕", "otimes": "⊗", "pm": "±", "mp": "∓", "times": "×", "div": "÷", "perp": "⊥",
		"parallel": "∥", "to": "→", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒",
		"implies": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "iff": "⇔", "mapsto": "↦", "lt": "<", "gt": ">",
		"longrightarrow": "⟶", "uparrow": "↑", "downarrow": "↓", "models": "⊨", "vdash": "⊢",
	}
}

// functions are commands that are written as their name.
const functions = " sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan asin acos atan exp log ln lg max min sup inf lim det dim ker arg deg gcd Pr hom mod "

// accents are combining characters.
func accents() map[string]string {
	return map[string]string{
		"hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0305", "vec": "\u20d7", "dot": "\u0307",
		"ddot": "\u0308", "tilde": "\u0303", "widetilde": "\u0303", "check": "\u030c", "acute": "\u0301", "grave": "\u0300", "underline": "\u0332",
	}
}

// letters are pairs of a letter and what it becomes.
const (
	superscripts = "0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹+⁺-⁻=⁼(⁽)⁾aᵃbᵇcᶜdᵈeᵉfᶠgᵍhʰiⁱjʲkᵏlˡmᵐnⁿoᵒpᵖrʳsˢtᵗuᵘvᵛwʷxˣyʸzᶻAᴬBᴮDᴰEᴱGᴳHᴴIᴵJᴶKᴷLᴸMᴹNᴺOᴼPᴾRᴿTᵀUᵁVⱽWᵂαᵅβᵝγᵞδᵟθᶿϕᶲ′′∘°"
	subscripts   = "0₀1₁2₂3₃4₄5₅6₆7₇8₈9₉+₊-₋=₌(₍)₎aₐeₑhₕiᵢjⱼkₖlₗmₘnₙoₒpₚrᵣsₛtₜuᵤvᵥxₓβᵦγᵧρᵨφᵩχᵪ"
	blackboard   = "CℂHℍNℕPℙQℚRℝZℤEE1𝟙"
	calligraphic = "BℬEℰFℱHℋIℐLℒMℳRℛOOCCDDNNPPSSTTXXAAGGKKUUVV"
)
