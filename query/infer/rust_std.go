package infer

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pindex-dev/pindex/query/sketch"
)

// outsideCall is the type of a call of a function outside the tree whose
// shape is well known: constructors of wrappers.
func (r *rustTypes) outsideCall(file int, n, callee *sketch.Node, f *rustType) (*rustType, error) {
	arg := rustNothing
	if len(n.List) > 0 {
		var err error
		if arg, err = r.expr(file, n.List[0]); err != nil {
			return nil, err
		}
	}
	switch f.name {
	case "Some":
		return rustStd("Option", arg), nil
	case "Ok":
		return rustStd("Result", arg), nil
	case "Err":
		return rustStd("Result", rustNothing, arg), nil
	}
	if callee == nil || callee.Kind != sketch.Member {
		return rustStd("?"), nil
	}
	t, err := r.typeOf(file, callee.X, nil)
	if err != nil || t.kind != rustOutside {
		return rustNothing, err
	}
	switch callee.Name {
	case "new", "from", "pin", "new_unchecked":
		if len(t.list) > 0 || len(n.List) == 0 {
			return t, nil
		}
		switch t.name {
		case "Box", "Rc", "Arc", "Pin", "Mutex", "RwLock", "RefCell", "Cell", "ManuallyDrop", "OnceLock", "UnsafeCell", "AtomicPtr", "Cursor":
			if t.name == "Pin" {
				return arg, nil
			}
			return rustStd(t.name, arg), nil
		}
		return t, nil
	case "clone":
		for arg.kind == rustRef && arg.elem != nil {
			arg = arg.elem
		}
		return arg, nil
	case "with_capacity", "default", "get_mut", "as_mut":
		return t, nil
	}
	return rustNothing, nil
}

// wellKnown is the type of a call of a method of the standard library that
// gives back what a wrapper or collection holds.
func (r *rustTypes) wellKnown(file int, t *rustType, name string, call *sketch.Node) (*rustType, error) {
	for range 8 {
		inner := t
		if t.kind == rustRef && t.elem != nil {
			inner = t.elem
		}
		if out, err := r.known(file, inner, name, call); err != nil || out != nil {
			return out, err
		}
		next, err := r.deref(t)
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		t = next
	}
	switch name {
	case "clone", "to_owned", "by_ref", "borrow", "borrow_mut", "as_ref", "as_mut", "into_iter", "iter", "to_vec", "unwrap_or_default", "max", "min", "into_future", "boxed":
		for t.kind == rustRef && t.elem != nil {
			t = t.elem
		}
		return t, nil
	}
	if t.kind == rustOutside && len(t.list) == 0 {
		return rustStd("?"), nil
	}
	return rustNothing, nil
}

func (r *rustTypes) known(file int, t *rustType, name string, call *sketch.Node) (*rustType, error) {
	if t.kind == rustArray {
		t = rustStd("Vec", t.elem)
	}
	if t.kind != rustOutside {
		if e, err := r.assoc(t, "Item"); err == nil && e != nil {
			t = rustStd("Iter", e)
		} else {
			return nil, nil
		}
	}
	wrap := func(kind string) (*rustType, error) {
		out, err := r.closureResult(file, call)
		return rustStd(kind, out), err
	}
	switch t.name {
	case "Option":
		switch name {
		case "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "unwrap_unchecked", "get_or_insert_with", "get_or_insert", "insert", "map_or_else", "map_or":
			if strings.HasPrefix(name, "map_or") {
				return r.closureResult(file, call)
			}
			return t.arg(0), nil
		case "as_ref", "as_mut", "take", "replace", "cloned", "copied", "filter", "or", "or_else", "clone", "inspect", "as_deref", "as_deref_mut", "as_pin_mut":
			return t, nil
		case "map":
			return wrap("Option")
		case "and_then":
			return r.closureResult(file, call)
		case "ok_or", "ok_or_else":
			return rustStd("Result", t.arg(0)), nil
		case "iter", "into_iter", "iter_mut":
			return rustStd("Iter", t.arg(0)), nil
		}
	case "Result", "Poll":
		switch name {
		case "unwrap", "expect", "unwrap_or", "unwrap_or_else", "unwrap_or_default", "into_ok":
			return t.arg(0), nil
		case "unwrap_err", "expect_err":
			return t.arg(1), nil
		case "as_ref", "as_mut", "clone", "or_else", "inspect_err", "inspect":
			return t, nil
		case "map_err":
			e, err := r.closureResult(file, call)
			return rustStd(t.name, t.arg(0), e), err
		case "map", "map_ok":
			out, err := r.closureResult(file, call)
			return rustStd(t.name, out, t.arg(1)), err
		case "and_then":
			return r.closureResult(file, call)
		case "ok":
			return rustStd("Option", t.arg(0)), nil
		case "err":
			return rustStd("Option", t.arg(1)), nil
		}
	case "Mutex", "RwLock", "RefCell", "Guard":
		switch name {
		case "lock", "read", "write", "borrow", "borrow_mut", "try_lock", "blocking_lock", "get_mut", "into_inner", "try_read", "try_write":
			return rustStd("Guard", t.arg(0)), nil
		case "unwrap", "expect", "unwrap_or_else":
			return t, nil
		}
	case "Cell", "OnceCell", "OnceLock", "Pin", "Box", "Arc", "Rc", "UnsafeCell", "Lazy", "LazyLock":
		switch name {
		case "get", "take", "as_ref", "as_mut", "get_mut", "into_inner", "get_unchecked_mut", "deref", "deref_mut", "borrow", "get_or_init", "project":
			return t.arg(0), nil
		case "clone":
			return t, nil
		}
	case "Vec", "VecDeque", "HashSet", "BTreeSet", "BinaryHeap", "SmallVec", "LinkedList", "IndexSet":
		switch name {
		case "iter", "iter_mut", "into_iter", "drain":
			return rustStd("Iter", t.arg(0)), nil
		case "first", "last", "get", "get_mut", "pop", "pop_front", "pop_back", "front", "back", "first_mut", "last_mut", "peek", "front_mut", "back_mut", "take":
			return rustStd("Option", t.arg(0)), nil
		case "remove", "swap_remove":
			return t.arg(0), nil
		case "clone", "as_slice", "as_mut_slice", "to_vec", "split_off", "as_ref", "as_mut":
			return t, nil
		}
	case "HashMap", "BTreeMap", "IndexMap":
		switch name {
		case "get", "get_mut", "remove", "insert":
			return rustStd("Option", t.arg(1)), nil
		case "values", "values_mut", "into_values":
			return rustStd("Iter", t.arg(1)), nil
		case "keys", "into_keys":
			return rustStd("Iter", t.arg(0)), nil
		case "iter", "iter_mut", "into_iter", "drain":
			return rustStd("Iter", &rustType{kind: rustTuple, list: t.list}), nil
		case "entry":
			return rustStd("Entry", t.arg(1)), nil
		case "clone":
			return t, nil
		}
	case "Entry":
		switch name {
		case "or_insert", "or_insert_with", "or_default":
			return t.arg(0), nil
		}
	case "Iter":
		switch name {
		case "next", "find", "last", "nth", "min", "max", "min_by_key", "max_by_key", "peek", "next_back", "reduce", "position":
			return rustStd("Option", t.arg(0)), nil
		case "rev", "skip", "take", "filter", "by_ref", "peekable", "chain", "cloned", "copied", "step_by", "take_while", "skip_while", "inspect", "fuse", "cycle", "into_iter", "clone":
			return t, nil
		case "map":
			return wrap("Iter")
		case "filter_map", "flat_map":
			out, err := r.closureResult(file, call)
			if err != nil {
				return nil, err
			}
			e, err := r.elem(out)
			return rustStd("Iter", e), err
		case "enumerate":
			return rustStd("Iter", &rustType{kind: rustTuple, list: []*rustType{{kind: rustBasic, name: "usize"}, t.arg(0)}}), nil
		case "zip":
			other := rustNothing
			if len(call.List) > 0 {
				o, err := r.expr(file, call.List[0])
				if err != nil {
					return nil, err
				}
				if other, err = r.elem(o); err != nil {
					return nil, err
				}
			}
			return rustStd("Iter", &rustType{kind: rustTuple, list: []*rustType{t.arg(0), other}}), nil
		}
	}
	return nil, nil
}

// closureArg is the type of a closure's parameter, from the call that the
// closure is an argument of.
func (r *rustTypes) closureArg(file int, n *sketch.Node) (*rustType, error) {
	lit := n.X
	if lit == nil || lit.X == nil || lit.X.Kind != sketch.Call {
		return rustNothing, nil
	}
	call := lit.X
	i, _ := strconv.Atoi(n.Name)
	callee := call.X
	if callee != nil && callee.Kind == sketch.Index && callee.Sep == ':' {
		callee = callee.X
	}
	var f *rustType
	method := callee != nil && callee.Kind == sketch.Member && callee.Sep == '.'
	if method {
		t, err := r.expr(file, callee.X)
		if err != nil {
			return nil, err
		}
		found, env, _, err := r.find(t, callee.Name, true)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			for t.kind == rustRef && t.elem != nil {
				t = t.elem
			}
			if t.kind == rustArray {
				return t.elem, nil
			}
			if t.kind != rustOutside {
				return r.elem(t)
			}
			switch callee.Name {
			case "map_err", "unwrap_or_else", "or_else", "inspect_err":
				return t.arg(1), nil
			case "fold":
				if i == 0 {
					return rustNothing, nil
				}
				i = 0
			}
			if i > 0 {
				return rustNothing, nil
			}
			return t.arg(0), nil
		}
		if f, err = r.typeOfThing(found[0], env); err != nil {
			return nil, err
		}
	} else {
		var err error
		if f, err = r.expr(file, call.X); err != nil {
			return nil, err
		}
	}
	if f.kind != rustFn || f.node == nil || f.node.Fn == nil {
		return rustNothing, nil
	}
	params := f.node.Fn.Params
	if method && len(params) > 0 && params[0].Name == "self" {
		params = params[1:]
	}
	at := slices.Index(call.List, lit)
	if at < 0 || at >= len(params) || params[at].Type == nil {
		return rustNothing, nil
	}
	bounds := []*sketch.Node{params[at].Type}
	switch p := params[at].Type; p.Kind {
	case sketch.InterfaceType:
		bounds = p.List
	case sketch.Name:
		for _, tp := range f.node.Fn.TypeParams {
			if tp.Name == p.Name {
				bounds = tp.Bases
			}
		}
	}
	for _, b := range bounds {
		if b.Kind == sketch.FuncType && b.Fn != nil && i < len(b.Fn.Params) {
			return r.typeOf(f.file, b.Fn.Params[i].Type, f.env)
		}
	}
	return rustNothing, nil
}
