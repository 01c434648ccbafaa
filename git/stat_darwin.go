package git

import "syscall"

const fullStat = true

// lstat describes a file without following it.
func lstat(path string) (fileStat, error) {
	var st syscall.Stat_t
	if err := lstatRetry(path, &st); err != nil {
		return fileStat{}, err
	}
	return fileStat{
		statData: statData{
			ctime: uint32(st.Ctimespec.Sec), ctimeNano: uint32(st.Ctimespec.Nsec), mtime: uint32(st.Mtimespec.Sec), mtimeNano: uint32(st.Mtimespec.Nsec),
			dev: uint32(st.Dev), ino: uint32(st.Ino), uid: st.Uid, gid: st.Gid, size: uint32(st.Size),
		},
		bytes: st.Size, kind: unixKind(uint32(st.Mode)), exec: st.Mode&0o100 != 0,
	}, nil
}
