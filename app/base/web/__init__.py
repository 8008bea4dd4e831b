"""What all pages share: errors, cookies, links, downloads, metrics, and limits on connections."""
