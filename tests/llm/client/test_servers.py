"""The list of servers: read with its keys, which are shown nowhere, and refused with the reason."""

from pathlib import Path

import pytest

from app.llm.client.servers import ServersFileError, read_servers

SERVER = '[[server]]\nname = "Local"\nbase_url = "http://127.0.0.1:8000/v1"\nmodels = ["m"]\nmax_tokens = 9\n'


def test_servers_have_the_keys_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a-secret-key\n")
    file = tmp_path / "servers.toml"
    file.write_text(f'{SERVER}key_file = "{tmp_path / "key"}"\nprice_in = 2\n')
    (server,) = read_servers(file)
    assert server.endpoint("m").key == "a-secret-key"
    assert "a-secret-key" not in repr(server) + repr(server.endpoint("m"))
    assert server.prices.per_million_in == 2
    assert read_servers(None) == ()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (SERVER.replace("http://127.0.0.1:8000/v1", "file:///etc"), "base_url: expected an address"),
        (SERVER.replace('["m"]', "[]"), "models: expected at least 1 entry"),
        (SERVER.replace("max_tokens = 9", ""), "max_tokens: expected a value; this setting is required"),
        (SERVER + 'key_file = "/none/there"\n', "/none/there cannot be read"),
        (f'{SERVER}key = """sk-1\n# of the lab"""\n', "key: expected one line of ASCII characters"),
        (f'{SERVER}headers = {{"X-Ä" = "1"}}\n', "headers: expected names and values in one line of ASCII characters"),
        (SERVER + SERVER, "two servers have the same name"),
        ("server = 5", "is not a list of [[server]] in TOML"),
        ("[[", "is not a list of [[server]] in TOML"),
    ],
)
def test_a_list_that_cannot_be_used_says_why(tmp_path: Path, words: str, problem: str) -> None:
    file = tmp_path / "servers.toml"
    file.write_text(words)
    with pytest.raises(ServersFileError) as refused:
        read_servers(file)
    assert problem in str(refused.value)
