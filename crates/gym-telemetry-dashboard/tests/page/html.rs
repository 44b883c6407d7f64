//! A finished run in one file.

use gym_telemetry_dashboard::page::write_html;

use crate::support::Stage;

#[tokio::test]
async fn a_file_holds_all_of_the_page() {
    let stage = Stage::new().await;
    stage.export("gym.rollout.completed_total", 3, &[("nemo.gym.rollout.outcome", "</script><script>evil()")]).await;
    let mut file = Vec::new();
    write_html(&stage.source, &mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    assert!(!file.contains("</script><script>evil"), "markup that was sent is markup");
    for part in ["default-src 'none'", "rollouts completed", "metric=gym.rollout.completed_total", "uPlot"] {
        assert!(file.contains(part), "{part} is missing");
    }
    assert!(!file.contains("src=\"") && !file.contains("rel=\"stylesheet\""), "it fetches something");
    // Only the data is no script of ours; all others carry the nonce that the policy asks for.
    let nonce = file.split("script-src 'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert!(nonce.len() >= 32, "{nonce}");
    assert_eq!(file.matches("<script ").count(), file.matches(&format!("<script nonce=\"{nonce}\"")).count() + 1);
}

#[tokio::test]
async fn two_files_have_two_nonces() {
    let stage = Stage::new().await;
    let mut files = [Vec::new(), Vec::new()];
    files.iter_mut().for_each(|file| write_html(&stage.source, file).unwrap());
    assert_ne!(files[0], files[1]);
}

/// Takes nothing.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_full_disk_is_told() {
    let stage = Stage::new().await;
    assert_eq!(write_html(&stage.source, Full).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
