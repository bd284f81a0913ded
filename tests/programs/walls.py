#!/usr/bin/env python3
"""A bot that tries what a sandbox promises to prevent: `walls.py ATTACK`.

It plays MiniShogi by the action `random`, which is always legal. In its second turn it attacks; what it could do it says in
an action that no game knows, so that the breach shows as an invalid action. Nothing that it does is harmful where it is allowed.

Three names are no attacks: `honest` needs a process and a timer in every turn, `patient` takes its time, so that others are paused,
and `plain` answers at once.
"""

import ctypes
import fcntl
import mmap
import os
import platform
import resource
import select
import signal
import socket
import sys
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
TARGET = os.environ.get("WALLS_TARGET", "/nonexistent")
# The limit of an answer in seconds, in the attacks on it.
LIMIT = float(os.environ.get("WALLS_LIMIT", "60"))
# The seed of the run.
SEED = b"7316498250"
# What an attack does in every turn after its first, and pipes that it keeps.
EACH_TURN, PIPES = [], []
NUMBERS = {
    "x86_64": {"ioprio_set": 251, "migrate_pages": 256, "move_pages": 279, "add_key": 248, "memfd_create": 319,
               "sched_setattr": 314, "io_uring_setup": 425, "x32 getpid": 0x40000000 | 39, "fchmodat2": 452,
               "setxattrat": 463, "file_setattr": 469, "timer_create": 222, "timer_settime": 223, "timer_delete": 226,
               "clone": 56},
    "aarch64": {"ioprio_set": 30, "migrate_pages": 238, "move_pages": 239, "add_key": 217, "memfd_create": 279,
                "sched_setattr": 274, "io_uring_setup": 425, "fchmodat2": 452, "setxattrat": 463, "file_setattr": 469,
                "timer_create": 107, "timer_settime": 110, "timer_delete": 111, "clone": 220},
}.get(platform.machine(), {})
# New calls have the same number everywhere.
NUMBERS["close_range"] = 436


def call(function, *arguments):
    """A function of the C library; raises the error that it reports."""
    ctypes.set_errno(0)
    result = function(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def system_call(name, *arguments):
    """A system call by its number, where it is known."""
    if name not in NUMBERS:
        raise PermissionError
    return call(LIBC.syscall, NUMBERS[name], *arguments)


def others():
    """The arena, and what it started besides this process: the rival among them."""
    arena = os.getppid()
    started = set()
    for thread in os.listdir(f"/proc/{arena}/task"):
        try:
            with open(f"/proc/{arena}/task/{thread}/children") as children:
                started.update(int(pid) for pid in children.read().split())
        except (FileNotFoundError, ProcessLookupError):
            # It has ended meanwhile.
            pass
    return [arena] + sorted(started - {os.getpid()})


def refused(attempts):
    """What of the attempts was not refused."""
    done = []
    for name, attempt in attempts:
        try:
            attempt()
            done.append(name)
        except (PermissionError, ProcessLookupError, FileNotFoundError):
            pass
        except OSError as error:
            done.append(f"{name}: {error}")
    return "; ".join(done)


def reads():
    paths = ["/etc/shadow", "/etc/gshadow", f"{TARGET}/secret", f"{TARGET}/../home/secret", "/dev/mem"]
    return refused([(path, lambda path=path: open(path, "rb").read(1)) for path in paths if os.path.lexists(path)])


def lists():
    folders = [TARGET, "/etc", "/etc/ssl/private", "/etc/ssh", "/root", "/var", "/home", "/tmp"]
    return refused([(path, lambda path=path: os.listdir(path)) for path in folders if os.path.exists(path)])


def writes():
    def create(folder):
        path = f"{folder}/walls-{os.getpid()}"
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL))
        os.unlink(path)

    folders = [TARGET, ".", os.path.dirname(os.path.abspath(__file__)), "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"]
    attempts = [(folder, lambda folder=folder: create(folder)) for folder in folders if os.path.exists(folder)]
    with open(os.path.expanduser("~/mine"), "w") as mine:
        mine.write("mine")
    return refused(attempts)


def overwrites():
    def rename():
        os.rename(f"{TARGET}/secret", f"{TARGET}/taken")
        os.rename(f"{TARGET}/taken", f"{TARGET}/secret")

    return refused([
        ("append", lambda: open(f"{TARGET}/secret", "a")),
        ("truncate", lambda: os.truncate(f"{TARGET}/secret", 3)),
        ("rename", rename),
        ("own program", lambda: open(__file__, "a")),
        ("sysctl", lambda: open("/proc/sys/kernel/ns_last_pid", "w")),
    ])


def attributes():
    own = os.open(__file__, os.O_RDONLY)
    secret = f"{TARGET}/secret"
    attempts = []
    for name, file in [("own", __file__), ("open", own), ("other's", secret)]:
        mode = os.stat(file).st_mode & 0o7777
        attempts += [
            (f"chmod {name}", lambda file=file, mode=mode: os.chmod(file, mode)),
            (f"chown {name}", lambda file=file: os.chown(file, os.getuid(), os.getgid())),
            (f"utime {name}", lambda file=file: os.utime(file, (1, 1))),
            (f"setxattr {name}", lambda file=file: os.setxattr(file, "user.walls", b"x")),
            (f"removexattr {name}", lambda file=file: os.removexattr(file, "user.walls")),
        ]
    return refused(attempts)


def old_and_new_calls():
    """The other calls that change attributes."""
    own = os.open(__file__, os.O_RDONLY)
    secret = f"{TARGET}/secret"
    word = ctypes.create_string_buffer(32)
    path = secret.encode()
    return refused([
        ("touch", lambda: os.utime(secret)),
        ("lchown", lambda: os.lchown(secret, os.getuid(), os.getgid())),
        ("utimes", lambda: call(LIBC.utimes, path, None)),
        ("utime", lambda: call(LIBC.utime, path, None)),
        ("futimes", lambda: call(LIBC.futimes, own, None)),
        ("lutimes", lambda: call(LIBC.lutimes, path, None)),
        ("flags", lambda: fcntl.ioctl(own, 0x40086602, word)),
        ("project", lambda: fcntl.ioctl(own, 0x401C5820, word)),
        ("version", lambda: fcntl.ioctl(own, 0x40087602, word)),
        ("verity", lambda: fcntl.ioctl(own, 0x40806685, ctypes.create_string_buffer(128))),
        ("fchmodat2", lambda: system_call("fchmodat2", -100, path, 0o644, 0)),
        ("setxattrat", lambda: system_call("setxattrat", -100, path, 0, b"user.walls", word, 16)),
        ("file_setattr", lambda: system_call("file_setattr", -100, path, word, 24, 0)),
    ])


def network():
    attempts = [
        ("tcp", lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
        ("udp", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)),
        ("netlink", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)),
        ("packet", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
        ("connect", lambda: socket.socket(socket.AF_UNIX).connect(f"{TARGET}/stream")),
        ("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\0walls")),
        ("bind", lambda: socket.socket(socket.AF_UNIX).bind(os.path.expanduser("~/socket"))),
        ("abstract bind", lambda: socket.socket(socket.AF_UNIX).bind("\0walls")),
        ("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)),
        ("raw datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_RAW)),
        ("io_uring", lambda: system_call("io_uring_setup", 1, ctypes.create_string_buffer(256))),
        ("second number of a call", lambda: system_call("x32 getpid")),
    ]
    return refused(attempts)


def pairs():
    def send(kind):
        """A socket pair of which one end writes to somebody else."""
        ends = socket.socketpair(socket.AF_UNIX, kind)
        try:
            ends[0].sendto(b"out", f"{TARGET}/datagrams")
            ends[0].sendmsg([b"out"], [], 0, f"{TARGET}/datagrams")
        except OSError as error:
            # Already connected: no word gets anywhere.
            raise PermissionError from error
        if select.select([ends[1]], [], [], 0)[0]:
            raise PermissionError

    kinds = [socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET, socket.SOCK_STREAM]
    attempts = [(f"pair of kind {kind}", lambda kind=kind: send(kind)) for kind in kinds]
    ends = socket.socketpair()
    ends[0].send(b"x")
    return refused(attempts) or ("" if ends[1].recv(1) == b"x" else "no socket pair")


def signals():
    attempts = [(f"signal to {pid}", lambda pid=pid: os.kill(pid, 0)) for pid in others()]
    own = os.fork()
    if own == 0:
        time.sleep(60)
    os.kill(own, signal.SIGKILL)
    return refused(attempts)


def signals_to_groups():
    groups = set()
    for pid in others()[1:]:
        try:
            groups.add(os.getpgid(pid))
        except ProcessLookupError:
            pass
    # To signal "group 1" is to signal every process there may be, its own among them.
    return refused([(f"group {group}", lambda group=group: os.killpg(group, 0)) for group in groups - {1, os.getpgid(0)}])


def memory_of_others():
    def read(path):
        with open(path, "rb") as file:
            if not file.read():
                # A process that has ended.
                raise PermissionError

    attempts = []
    for pid in others():
        attempts += [
            (f"mem of {pid}", lambda pid=pid: open(f"/proc/{pid}/mem", "rb")),
            (f"environ of {pid}", lambda pid=pid: read(f"/proc/{pid}/environ")),
            (f"maps of {pid}", lambda pid=pid: read(f"/proc/{pid}/maps")),
            (f"descriptors of {pid}", lambda pid=pid: os.readlink(f"/proc/{pid}/fd/0")),
            (f"folder of {pid}", lambda pid=pid: os.readlink(f"/proc/{pid}/cwd")),
        ]
    return refused(attempts)


def traces_of_others():
    return refused([(f"trace of {pid}", lambda pid=pid: call(LIBC.ptrace, 0x4206, pid, 0, 0)) for pid in others()])


def priority_of_others():
    cores = os.sched_getaffinity(0)
    attributes = (ctypes.c_uint32 * 12)(48)
    attempts = [
        ("nice of the group", lambda: os.setpriority(os.PRIO_PGRP, 0, 1)),
        ("nice of the user", lambda: os.setpriority(os.PRIO_USER, 0, 1)),
        ("io priority of the user", lambda: system_call("ioprio_set", 3, 0, 0x6004)),
    ]
    for pid in others():
        attempts += [
            (f"nice of {pid}", lambda pid=pid: os.setpriority(os.PRIO_PROCESS, pid, 1)),
            (f"cores of {pid}", lambda pid=pid: os.sched_setaffinity(pid, cores)),
            (f"scheduler of {pid}", lambda pid=pid: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))),
            (f"parameters of {pid}", lambda pid=pid: os.sched_setparam(pid, os.sched_param(0))),
            (f"attributes of {pid}", lambda pid=pid: system_call("sched_setattr", pid, attributes, 0)),
            (f"io priority of {pid}", lambda pid=pid: system_call("ioprio_set", 1, pid, 0x6004)),
            (f"nodes of {pid}", lambda pid=pid: system_call("migrate_pages", pid, 0, 0, 0)),
            (f"pages of {pid}", lambda pid=pid: system_call("move_pages", pid, 0, 0, 0, 0, 0)),
        ]
    # What is its own it may change.
    os.sched_setaffinity(0, cores)
    os.setpriority(os.PRIO_PROCESS, 0, min(19, os.getpriority(os.PRIO_PROCESS, 0) + 1))
    return refused(attempts)


def limits_of_others():
    change = lambda pid: resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
    change(0)
    return refused([(f"limits of {pid}", lambda pid=pid: change(pid)) for pid in others()])


def shared():
    own = os.open(__file__, os.O_RDONLY)
    key = 0x57414C4C
    attempts = [
        ("segment", lambda: call(LIBC.shmget, key, 4096, 0o1600)),
        ("private segment", lambda: call(LIBC.shmget, 0, 4096, 0o1600)),
        ("semaphores", lambda: call(LIBC.semget, key, 1, 0o1600)),
        ("queue", lambda: call(LIBC.msgget, key, 0o1600)),
        ("posix queue", lambda: call(LIBC.mq_open, b"/walls", os.O_CREAT | os.O_RDWR, 0o600, None)),
        ("key", lambda: system_call("add_key", b"user", b"walls", b"x", 1, -3)),
        ("memory file", lambda: system_call("memfd_create", b"walls", 0)),
        ("lease", lambda: fcntl.fcntl(own, fcntl.F_SETLEASE, fcntl.F_RDLCK)),
        ("hint", lambda: fcntl.fcntl(own, 1036, (3).to_bytes(8, "little"))),
        ("hint of a descriptor", lambda: fcntl.fcntl(own, 1038, (3).to_bytes(8, "little"))),
        ("notices of a folder", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, 1)),
        ("inotify", lambda: call(LIBC.inotify_init1, 0)),
        ("fanotify", lambda: call(LIBC.fanotify_init, 0x200, 0)),
    ]
    return refused(attempts)


def folder():
    """Leaves traces in its folder, and looks for those of the last game."""
    home = os.path.expanduser("~")
    before = os.stat(home)
    found = []
    if os.listdir(home):
        found.append("files")
    if (before.st_mtime, before.st_atime, before.st_mode & 0o7777, before.st_nlink) != (0, 0, 0o700, 2):
        found.append(f"traces: {before}")
    for number in range(100):
        path = f"{home}/{number:0200}"
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        os.unlink(path)
    return "; ".join(found)


def shared_memory():
    """Memory that no limit of the system counts."""
    memory = mmap.mmap(-1, 1 << 30)
    for page in range(0, 1 << 30, 4096):
        memory[page] = 1
    time.sleep(10)
    return "1 GiB of shared memory"


def memory_together():
    """Several processes of which each is within its limit."""
    for _ in range(8):
        if os.fork() == 0:
            memory = bytearray(b"x" * (80 << 20))
            time.sleep(20)
            os._exit(memory[0])
    time.sleep(10)
    return "640 MB in 8 processes"


def memory_behind_threads():
    """The same, in processes whose first thread has ended."""
    for _ in range(4):
        if os.fork() == 0:

            def keep():
                memory = b"x" * (150 << 20)
                time.sleep(20)
                os._exit(memory[0])

            threading.Thread(target=keep).start()
            LIBC.pthread_exit(None)
    time.sleep(10)
    return "600 MB in 4 processes"


def processes():
    for _ in range(600):
        # They take next to no memory.
        os.posix_spawn("/bin/sleep", ["sleep", "20"], {})
    time.sleep(10)
    return "600 processes"


def files():
    # Hard links count as files and are faster to create.
    first = os.path.expanduser("~/0")
    os.close(os.open(first, os.O_CREAT | os.O_WRONLY))
    try:
        for number in range(1, 10_001):
            os.link(first, os.path.expanduser(f"~/{number}"))
    except OSError as error:
        return f"link refused: {error}"
    time.sleep(10)
    return "10,001 files"


def memory_behind_descriptors():
    """Memory, once every thread that shares a thousand descriptors has been looked at."""
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(1000)]
    threading.stack_size(1 << 16)
    for _ in range(450):
        threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
    time.sleep(2)
    memory = mmap.mmap(-1, 600 << 20)
    for page in range(0, 600 << 20, 4096):
        memory[page] = 1
    time.sleep(10)
    return f"600 MB behind {len(kept)} descriptors"


def page_tables():
    """600 MB of page tables: one for each 2 MiB of addresses, which all show the same page."""
    addresses = 300 << 30
    start = LIBC.mmap(None, addresses, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    for address in range(start, start + addresses, 2 << 20):
        ctypes.string_at(address, 1)
    time.sleep(10)
    return "600 MB of page tables"


def stray(work):
    """A process in its own session, whose parents have ended, does some work."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            work()
        os._exit(0)
    os.wait()


def strays():
    """Memory of processes that left everything by which they could be recognised."""
    read, write = os.pipe()

    def work():
        memory = b"x" * (80 << 20)
        time.sleep(30)
        os._exit(memory[0])

    for _ in range(8):
        stray(work)
    os.close(write)
    # They have the other end of the pipe.
    return "" if select.select([read], [], [], 20)[0] else "640 MB in 8 strays"


def fork_and_leave(count):
    """A child that starts so many processes, which end at once, and waits for none of them."""
    if os.fork() == 0:
        for _ in range(count):
            if os.fork() == 0:
                os._exit(0)
        os._exit(0)
    os.wait()


def ended():
    """The processes of its group that have ended and still exist."""
    found = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                state, _, group = stat.read().rsplit(") ", 1)[1].split()[:3]
            found += state == "Z" and int(group) == os.getpgid(0)
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def dead():
    """Processes that have ended, and whose parents have ended too."""
    fork_and_leave(300)
    end = time.monotonic() + 20
    while ended():
        if time.monotonic() > end:
            return f"{ended()} dead processes"
        time.sleep(0.1)
    return ""


def ends():
    """More of them in a second than it may have at a time."""
    for _ in range(30):
        fork_and_leave(480)
        fork_and_leave(100)
    time.sleep(2)
    return "17,400 processes that ended"


def own_descriptors():
    """Threads with descriptors of their own, and descriptors that only a socket holds."""
    ends = socket.socketpair()
    # A thread without these flags is no valid one either.
    thread = 0x10000
    return refused([
        ("thread", lambda: system_call("clone", thread, 0, 0, 0, 0)),
        ("unshare", lambda: system_call("close_range", 1000, 1000, 2)),
        ("send", lambda: socket.send_fds(ends[0], [b"x"], [0])),
    ])


def descriptors():
    """More descriptors than can be looked at in time."""
    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(1000)]
    for _ in range(20):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    time.sleep(10)
    return f"{len(kept)} descriptors in 21 processes"


def areas():
    """More mapped areas than can be looked at in time."""
    memory = mmap.mmap(-1, 50_000 * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in range(0, 50_000, 2):
        LIBC.mprotect(ctypes.c_void_p(start + page * mmap.PAGESIZE), mmap.PAGESIZE, mmap.PROT_READ)
    for _ in range(4):
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
    time.sleep(10)
    return "250,000 areas in 5 processes"


def parts():
    """Files without a name, of which only the beginning is mapped."""
    path = os.path.expanduser("~/big")
    for _ in range(6):
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        os.posix_fallocate(file, 0, 220 << 20)
        os.unlink(path)
        # Python's own `mmap` keeps the file open.
        LIBC.mmap(None, mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_SHARED, file, 0)
        os.close(file)
    time.sleep(10)
    return "1.3 GB on the disk"


def disk():
    """Files without a name: some are open, the others only mapped."""
    path = os.path.expanduser("~/big")
    kept = []
    for number in range(6):
        file = os.open(path, os.O_CREAT | os.O_RDWR)
        os.posix_fallocate(file, 0, 200 << 20)
        os.unlink(path)
        kept.append(mmap.mmap(file, 200 << 20) if number % 2 else file)
        if number % 2:
            os.close(file)
    time.sleep(10)
    return "1.2 GB on the disk"


def unnamed():
    """Files that never had a name."""
    kept = []
    for _ in range(6):
        file = os.open(os.path.expanduser("~"), os.O_TMPFILE | os.O_RDWR)
        os.posix_fallocate(file, 0, 200 << 20)
        kept.append(file)
    time.sleep(10)
    return "1.2 GB on the disk"


def unwaited():
    """Files in its folder, and a child that has ended without being waited for, which is no offence."""
    open(os.path.expanduser("~/file"), "w").close()
    if os.fork() == 0:
        os._exit(0)
    time.sleep(5)
    return ""


def nested():
    """More folders in one another than a stack has room for, the last ones closed to everybody."""
    os.chdir(os.path.expanduser("~"))
    for number in range(20_000):
        os.mkdir("f", 0o700)
        os.chdir("f")
        if number % 1000 == 0:
            open("file", "w").close()
            os.symlink("/", "link")
            os.mkdir("closed", 0o000)
    os._exit(0)


def daemon():
    if os.fork() == 0:
        try:
            os.setsid()
        except PermissionError:
            pass
        if os.fork() == 0:
            for descriptor in range(3):
                os.close(descriptor)
            time.sleep(60)
        os._exit(0)
    os.wait()
    return ""


def traces():
    """A tracer: what is traced cannot be reaped by its parent."""
    for pid in others()[1:]:
        LIBC.ptrace(0x4206, pid, 0, 0)
    return ""


def timer(signal_number):
    """A timer of the kernel that sends a signal to this process."""
    event = (ctypes.c_int * 16)()
    event[2] = signal_number
    number = ctypes.c_int()
    system_call("timer_create", 1, event, ctypes.byref(number))
    return number.value


def set_timer(number, first, every=0.0):
    times = (ctypes.c_long * 4)(*(int(part) for time in (every, first) for part in (time, time % 1 * 1e9)))
    system_call("timer_settime", number, 0, times, None)


def think_for_ever():
    """Threads that think whenever they can. The kernel runs them in turn, so the game goes on."""
    sys.setswitchinterval(0.0005)

    def think():
        while True:
            pass

    for _ in range(2):
        threading.Thread(target=think, daemon=True).start()


def lifted_by_timer():
    """The signal that continues a stopped process, from many timers in every turn."""
    # The kernel lets a timer rest whose signal nobody handles.
    signal.signal(signal.SIGCONT, lambda *_: None)
    timers = [timer(signal.SIGCONT) for _ in range(20)]
    EACH_TURN.append(lambda: [set_timer(timers[number], number * 0.01 + 0.001, 0.1) for number in range(20)])
    think_for_ever()
    return ""


def lifted_stray():
    """The same in a process whose parent has ended, of a bot that answers at once."""
    if os.fork() == 0:
        if os.fork() == 0:
            signal.signal(signal.SIGCONT, lambda *_: None)
            for number in range(20):
                set_timer(timer(signal.SIGCONT), number * 0.01 + 0.001, 0.2)
            while True:
                pass
        os._exit(0)
    os.wait()
    return ""


def ending(start):
    """Starts processes that a timer kills one after the other, in every turn."""
    def begin():
        while PIPES:
            os.close(PIPES.pop())
        try:
            while os.waitpid(-1, os.WNOHANG | 0x40000000)[0]:
                pass
        except ChildProcessError:
            pass
        for number in range(1, 11):
            if start() == 0:
                set_timer(timer(signal.SIGKILL), number * 0.02)
                while True:
                    time.sleep(60)
    EACH_TURN.append(begin)
    think_for_ever()
    return ""


def lifted_by_pipe():
    """The end of a child closes a pipe, and the pipe sends the signal."""
    def start():
        ours, theirs = os.pipe()
        fcntl.fcntl(ours, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(ours, fcntl.F_SETSIG, signal.SIGCONT)
        fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        child = os.fork()
        if child:
            os.close(theirs)
            PIPES.append(ours)
        return child
    return ending(start)


def lifted_by_child():
    """A child whose end is reported by the signal."""
    return ending(lambda: system_call("clone", signal.SIGCONT, 0, 0, 0, 0))


def lifted_children():
    """Children of its own turn, of which each is lifted once, thinks and is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    def begin():
        for number in range(15):
            if os.fork() == 0:
                lifted = []
                signal.signal(signal.SIGCONT, lambda *_: lifted.append(True))
                set_timer(timer(signal.SIGCONT), 0.15 + number * 0.01)
                while not lifted:
                    time.sleep(0.005)
                spin(0.008)
                os._exit(0)
        # They need a while for that.
        time.sleep(0.1)
    EACH_TURN.append(begin)
    return ""


def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def is_alive(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def unwaited_children():
    """Children that nobody waits for think, while this process is in the queue behind them."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(90):
        child = os.fork()
        if child == 0:
            spin(LIMIT / 120)
            os._exit(0)
        while is_alive(child):
            pass
    return ""


def unwaited_grandchildren():
    """The same in sessions of their own, whose parents have ended."""
    thought = 0
    while thought < 5:
        done, finish = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            if os.fork() == 0:
                spin(LIMIT * 0.3)
                os.write(finish, b"x")
            os._exit(0)
        os.waitpid(child, 0)
        os.close(finish)
        while not select.select([done], [], [], 0)[0]:
            pass
        # If it was killed, another one goes on.
        thought += len(os.read(done, 1))
    return ""


def workers_of_the_start():
    """Children of its first turn, of which each thinks once and is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(6):
        asked, ask = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ask)
            os.read(asked, 1)
            spin(LIMIT / 4)
            os._exit(0)
        PIPES.append((child, ask))

    def think():
        while PIPES:
            child, ask = PIPES.pop()
            os.write(ask, b"x")
            while is_alive(child):
                os.sched_yield()
    return think


def one_core():
    """Processes that could have a core each wait for each other on one."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    children = []
    for _ in range(2):
        children.append(os.fork())
        if children[-1] == 0:
            spin(LIMIT * 0.8)
            os._exit(0)
    for child in children:
        os.waitpid(child, 0)
    return ""


def signals_taken():
    """All timers, each with its signal."""
    while True:
        try:
            set_timer(timer(signal.SIGWINCH), 3600)
        except OSError:
            return ""


def queue_taken():
    """All signals that can be in a queue."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    LIBC.sigqueue.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    while LIBC.sigqueue(os.getpid(), int(signal.SIGRTMIN), None) == 0:
        pass
    return ""


def processes_taken():
    """All processes that this user may start."""
    while True:
        try:
            if os.fork() == 0:
                time.sleep(5)
                os._exit(0)
        except BlockingIOError:
            return ""


def seed_in_processes():
    """The seed of the run, in what processes tell about themselves."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        for file in ["cmdline", "comm", "environ"]:
            try:
                with open(f"/proc/{pid}/{file}", "rb") as text:
                    if SEED in text.read():
                        found.append(f"{pid}/{file}")
            except OSError:
                pass
    return "; ".join(found)


def seed_in_files():
    """The seed of the run, in its config and in what it writes."""
    files = [f"{TARGET}/../{name}" for name in ["run.toml", "results/run/plan.toml", "results/run/records.jsonl"]]
    return refused([(file, lambda file=file: open(file, "rb").read(1)) for file in files])


def lines(count):
    for _ in range(count):
        sys.stdin.readline()


def be_honest():
    """Needs what others might have taken."""
    number = timer(signal.SIGWINCH)
    system_call("timer_delete", number)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def play(attack):
    lines(2)
    turn = 0
    while True:
        lines(8)
        count = sys.stdin.readline()
        if not count:
            return
        lines(int(count))
        turn += 1
        for begin in EACH_TURN if turn > 1 or ATTACK in NEEDS else []:
            begin()
        breach = attack() if attack and turn == 2 else ""
        print(f"breach: {breach}" if breach else "random", flush=True)


ATTACK = sys.argv[1]
STARTS = {"workers_of_the_start": lambda: EACH_TURN.append(workers_of_the_start())}
NEEDS = {"honest": be_honest, "patient": lambda: time.sleep(0.3)}
if ATTACK in STARTS:
    STARTS[ATTACK]()
    ATTACK = ""
if ATTACK in NEEDS:
    EACH_TURN.append(NEEDS[ATTACK])
play(globals().get(ATTACK))
