// Package scipold tests SCIP in and out against the bindings of the project's
// earlier home: they read what pindex exports, and write what it takes in. It
// is a module of its own, and runs pindex as a program: nobody else depends on
// those bindings, and one program cannot hold both.
package scipold
