//! The parsers against what kernels write, and against anything else.

use gym_telemetry_core::Stall;
use gym_telemetry_procfs::parse::{self, Hierarchy};
use proptest::prelude::*;

/// What kernels write, to be cut and changed at random.
const SAMPLES: [&[u8]; 11] = [
    b"4096 1024 512 1 0 900 0\n",
    b"42 (a) b\n) c) S 7 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 123450 4096 1 0\n",
    b"11 12 4194304 ",
    b"00400000-7ffd ---p 00000000 00:00 0  [rollup]\nRss:    1672 kB\nPss:     340 kB\nPss_Dirty:  108 kB\n",
    b"MemTotal:       24612345 kB\nMemFree:  1 kB\nMemAvailable:   20000000 kB\nHugePages_Total:       0\n",
    b"some avg10=1.50 avg60=0.25 avg300=100.00 total=681245\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
    b"4:memory:/a/b:c\n3:cpuset:/\n0::/unified\n",
    b"14 31 0:32 /docker/7 /sys/fs/cgroup/my\\040memory rw shared:9 - cgroup cgroup rw,memory\n",
    b"20 31 0:38 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n",
    b"low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\noom_group_kill 5\n",
    b"9223372036854771712\n",
];

/// Lets every parser read a text.
fn parse_all(text: &[u8]) {
    let _ = (parse::number(text), parse::statm(text), parse::stat(text), parse::shares(text), parse::meminfo(text));
    let _ = (parse::pressure(text), parse::membership(text), parse::oom_kills(text));
    let _ = (parse::children(text).count(), parse::mounts(text).count());
}

proptest! {
    #[test]
    fn no_content_makes_a_parser_panic(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse_all(&text);
    }

    #[test]
    fn no_damage_makes_a_parser_panic(
        sample in 0..SAMPLES.len(), from in 0..200_usize, length in 0..40_usize,
        patch in proptest::collection::vec(any::<u8>(), 0..24)
    ) {
        let mut text = SAMPLES[sample].to_vec();
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        text.splice(from..to, patch);
        parse_all(&text);
    }

    #[test]
    fn a_process_may_call_itself_anything(name in proptest::collection::vec(any::<u8>(), 0..16), parent: u32, started: u64) {
        let mut text = b"42 (".to_vec();
        text.extend(&name);
        text.extend(format!(") S {parent} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 {started} 4096 1\n").bytes());
        let stat = parse::stat(&text).unwrap();
        prop_assert_eq!((stat.parent, stat.started), (parent, started));
    }

    #[test]
    fn numbers_are_read_exactly_or_not_at_all(number: u64, space in "[ \n]{0,3}", junk in "[^0-9\\s]") {
        prop_assert_eq!(parse::number(format!("{space}{number}{space}").as_bytes()), Some(number));
        prop_assert_eq!(parse::number(format!("{number}{junk}").as_bytes()), None);
        prop_assert_eq!(parse::number(format!("9{number:020}").as_bytes()), None, "it does not fit");
    }

    #[test]
    fn mount_points_are_read_whatever_their_bytes(point in proptest::collection::vec(1_u8.., 1..20)) {
        let escaped: Vec<u8> = point.iter().flat_map(|byte| match byte {
            b' ' | b'\t' | b'\n' | b'\\' => format!("\\{byte:03o}").into_bytes(),
            // What else counts as white space, the kernel does not write into a mount point.
            byte if byte.is_ascii_whitespace() => b"_".to_vec(),
            byte => vec![*byte],
        }).collect();
        let point: Vec<u8> = point.iter().map(|byte| match byte {
            b'\r' | b'\x0c' => b'_',
            byte => *byte,
        }).collect();
        let mut text = b"1 2 0:3 / ".to_vec();
        text.extend(escaped);
        text.extend(b" rw - cgroup2 none rw\n");
        prop_assert_eq!(parse::mounts(&text).map(|mount| mount.point).collect::<Vec<_>>(), [point]);
    }
}

#[test]
fn what_kernels_write_is_understood() {
    let [statm, stat, children, shares, meminfo, pressure, cgroup, v1, v2, events, limit] = SAMPLES;
    let statm = parse::statm(statm).unwrap();
    assert_eq!((statm.size, statm.resident, statm.shared), (4096, 1024, 512));
    let stat = parse::stat(stat).unwrap();
    assert_eq!((stat.parent, stat.started), (7, 123_450));
    assert_eq!(parse::children(children).collect::<Vec<_>>(), [11, 12, 4_194_304]);
    let shares = parse::shares(shares).unwrap();
    assert_eq!((shares.rss, shares.pss), (1672 * 1024, 340 * 1024));
    let meminfo = parse::meminfo(meminfo);
    assert_eq!((meminfo.total, meminfo.available), (Some(24_612_345 * 1024), Some(20_000_000 * 1024)));
    let pressure = parse::pressure(pressure);
    assert_eq!(pressure.some, Some(Stall::new(0.015, 0.0025, 1.0)));
    assert_eq!(pressure.full, Some(Stall::default()));
    let group = parse::membership(cgroup).unwrap();
    assert_eq!((group.hierarchy, &*group.path), (Hierarchy::V1, &b"/a/b:c"[..]));
    let mount = parse::mounts(v1).next().unwrap();
    assert_eq!((mount.hierarchy, &*mount.root), (Hierarchy::V1, &b"/docker/7"[..]));
    assert_eq!(mount.point, b"/sys/fs/cgroup/my memory");
    assert_eq!(parse::mounts(v2).next().unwrap().hierarchy, Hierarchy::V2);
    assert_eq!(parse::oom_kills(events), Some(1));
    assert_eq!(parse::number(limit), Some(9_223_372_036_854_771_712));
}

#[test]
fn what_says_nothing_is_nothing() {
    assert_eq!(parse::statm(b"4096 1024"), None);
    assert_eq!(parse::stat(b"42 (short) S 1 1"), None);
    assert_eq!(parse::shares(b""), None);
    assert_eq!(parse::shares(b"Rss: 1 kB\nPss: much\n"), None);
    assert_eq!(parse::membership(b"3:cpuset:/\n"), None);
    assert_eq!(parse::number(b"max\n"), None);
    assert_eq!(parse::pressure(b"some avg10=NaN avg60=0.00 avg300=0.00 total=0\nfull avg10=1.00\n").some, None);
}
