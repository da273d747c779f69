"""Names of files and folders that hold secrets: data, all in small letters, each with the tool whose manual names it.

``tests/unit/safety/test_secret_names.py`` says what a name must look like and that each of them is found.
"""

from __future__ import annotations

from execpolicy.core.text import word_set

FOLDERS = word_set(
    # OpenSSH, GnuPG, pass, AWS CLI, Azure CLI, gcloud, kubectl, Docker, Databricks, GNOME, macOS
    ".ssh .gnupg .password-store .aws .azure .gcloud gcloud .kube .docker .databrickscfg keyrings keychains "
    "private-keys-v1.d "
    # OCI CLI, Snowflake CLI and SnowSQL, cloudflared, Kaggle, Chef, gcloud, NetworkManager, and by custom
    ".oci .snowflake .snowsql .cloudflared .kaggle .chef legacy_credentials system-connections .secrets .keyrings "
    # Alibaba Cloud, Tencent Cloud, IBM Cloud, NEAR, LastPass, Electrum, Ethereum, KWallet, Subversion
    ".aliyun .tccli .bluemix .near-credentials .lastpass .electrum .ethereum kwalletd svn.simple "
    # mcp-remote, LastPass, duply, Foundry
    ".mcp-auth .lpass .duply keystores "
    # Anaconda, go-jira, Telegram
    ".continuum .jira.d tdata "
)
"""Every file in a folder of one of these names counts."""

COMMON_FILES = word_set(
    ".netrc _netrc .pgpass .my.cnf .mylogin.cnf .git-credentials .npmrc .pypirc .env .htpasswd .vault-token .boto "
    ".s3cfg .bash_history .zsh_history .python_history .mysql_history .psql_history .rediscli_history "
    ".node_repl_history id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk credentials.json .dockercfg "
    "kubeconfig gshadow shadow shadow- gshadow- sudoers krb5.keytab master.passwd .envrc .xauthority ssh_host_rsa_key "
    "ssh_host_ecdsa_key ssh_host_ed25519_key .yarnrc.yml rclone.conf oauth_creds.json terraform.tfstate "
    "terraform.tfvars logins.json pip.conf fish_history .sqlite_history environ kcore credentials.tfrc.json "
    ".terraformrc"
)
"""Files of one of these names count, and a pattern that may find one (``cat .e*``)."""

FILES = word_set(
    # by custom: what applications should keep apart
    "secrets.yml secrets.yaml secrets.json secrets.toml secrets.env secret.yml secret.yaml secret.json .secrets "
    ".secret .token .tokens .password .passwords .passwd .pass .apikey .api_key .api-key .access_token .auth_token "
    "credentials.yml credentials.yaml credentials.toml credentials.xml credentials.csv accesskeys.csv "
    "rootkey.csv client_secret.json client_secrets.json token.json service-account.json serviceaccount.json "
    "service_account.json secret_token.rb api_key apikey creds creds.json creds.yml "
    "creds.yaml creds.txt password passwords deploy_key deploy-key "
    # fish keeps exported variables; Boto of the system; Ansible; servers of agents, with their tokens
    "fish_variables boto.cfg .vault_pass.txt vault.yml vault.yaml .mcp.json mcp.json mcp_config.json mcp-config.json "
    "mcp_settings.json cline_mcp_settings.json claude_desktop_config.json "
    # Ansible, wrangler, Azure Functions, WordPress, gcloud
    "vault_pass vault_pass.txt .vault_pass .vault_password .vault-password vault-password .dev.vars "
    "vault_password token.txt tokens.txt tokens.json kubeconfig.yaml kubeconfig.yml kubeconfig.json "
    "local.settings.json wp-config.php application_default_credentials.json access_tokens.db credentials.db adc.json "
    # kubeadm, k3s, RKE2, Docker
    "admin.conf super-admin.conf bootstrap-kubelet.conf k3s.yaml rke2.yaml node-token .kubeconfig .dockerconfigjson "
    # Kaggle, Sentry, conda, R, ngrok, Comet, aider, Jupyter, Erlang, age, Terraform, Maven, GitLab, Jenkins
    "kaggle.json .sentryclirc .condarc .renviron ngrok.yml .comet.config .aider.conf.yml jupyter_cookie_secret "
    ".erlang.cookie keys.txt.age terraform.tfstate.backup settings-security.xml gitlab-secrets.json "
    "hudson.util.secret initialadminpassword "
    # mail, shares, databases, transfers
    ".authinfo .authinfo.gpg .netrc.gpg .msmtprc .mbsyncrc .offlineimaprc .fetchmailrc .smbcredentials .ldaprc .rhosts "
    "pgpass.conf cqlshrc .mongorc.js .dbshell .curlrc .wgetrc "
    # agents
    ".credentials.json .claude.json "
    # servers of agents, with their tokens: Claude Desktop, VS Code, Cursor, Windsurf, Copilot, Kiro, Roo Code, Cline
    "mcp.json mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json "
    # histories of irb, zsh and PowerShell
    ".irb_history .zhistory consolehost_history.txt "
    # Civo, Vultr, OpenTofu, Backblaze, Phabricator, Modal, PostgreSQL, Redis, mutt, lftp, Copernicus
    ".civo.json .vultr-cli.yaml .tofurc .b2_account_info .arcrc .modal.toml .pg_service.conf .redisclirc "
    ".muttrc .lftprc .cdsapirc "
    # OVH, OpenStack, act, Nomad, Consul, Samba, Bitcoin, Tailscale, Firebase, Dart, Hex, NuGet, sbt, Ansible, Android
    ".ovh.conf ovh.conf clouds.yaml secure.yaml openrc.sh .actrc .nomad-token .consul-token smbpasswd wallet.dat "
    "tailscaled.state firebase-tools.json pub-credentials.json hex.config nuget.config credentials.sbt secrets.tdb "
    ".ansible-vault-pass vault_password key.properties keystore.properties "
    # GitLab, FileZilla, WeeChat, Mercurial, step, mongosh, Conan
    "gitlab.rb sitemanager.xml recentservers.xml .hgrc root_ca_key intermediate_ca_key mongosh_repl_history .conan.db "
    # Firefox, Chrome, curl and yt-dlp
    "key3.db key4.db cookies.sqlite signons.sqlite cookies.txt "
    # the system: PAM, ppp, strongSwan, Exim, Postfix, Debian's MySQL, wpa_supplicant
    "opasswd chap-secrets pap-secrets ipsec.secrets passwd.client sasl_passwd debian.cnf wpa_supplicant.conf "
    # Supabase and PlanetScale, Vault, Doppler, restic, DBeaver
    "access-token vault-token .doppler.yaml .restic-password credentials-config.json "
    # WakaTime, Serverless Framework, Upstash, Snowflake connectors, Safari
    ".wakatime.cfg .serverlessrc .upstash.json connections.toml cookies.binarycookies "
    # Docker Compose; Rails; MediaWiki; cPanel; Robomongo, DbVisualizer, DBeaver, FileZilla, mRemoteNG, MobaXterm; OTR
    "db_password.txt db_root_password.txt omniauth.rb localsettings.php proftpdpasswd robomongo.json dbvis.xml "
    ".dbeaver-data-sources.xml dbeaver-data-sources.xml filezilla.xml confcons.xml mobaxterm.ini otr.private_key "
    # Phoenix, SFTP of editors, Terminal, esmtp, Tugboat, Twitter's t, htdigest, Ventrilo, JetBrains
    "prod.secret.exs sftp-config.json .ftpconfig .remote-sync.json .esmtprc .tugboat .trc .htdigest ventrilo_srv.ini "
    "webservers.xml "
    # histories of pry, GHCi, Scala, jshell, Lua, DuckDB, InfluxDB, Julia, less, Vim
    ".pry_history pry_history ghci_history .scala_history .jshell_history .lua_history .duckdb_history "
    ".influx_history repl_history.jl .lesshst .viminfo "
    # s3fs, rclone, Perforce, CVS, Flask, Vultr, Android, Sentry, Bitcoin, X, PulseAudio, Samba,
    # spotifyd, neomutt
    ".passwd-s3fs .rclone.conf .p4tickets .cvspass .flaskenv vultr-cli.yaml adbkey sentry.properties bitcoin.conf "
    ".iceauthority .esd_auth .pulse-cookie smbcredentials spotifyd.conf neomuttrc "
    # runners of GitHub Actions, Firebase, Google's clients, Django, .NET, Azure's agent
    ".credentials .credentials_rsaparams .runtimeconfig.json token.pickle local_settings.py connectionstrings.config "
    "ovf-env.xml "
    # the system: SSSD, LDAP, mail, dynamic DNS, SNMP, iSCSI
    "sssd.conf nslcd.conf pam_ldap.conf msmtprc ssmtp.conf ddclient.conf inadyn.conf snmpd.conf iscsid.conf"
)
"""Files of one of these names count as well; patterns find them only where they say enough (``*client_secret*``)."""

STARTS = (
    "krb5cc_",  # MIT Kerberos: tickets
    ".env.",  # dotenv, with copies of editors and of people
    ".env~",
    ".env-",
    ".env_",
    "client_secret_",  # Google Cloud
    "id_rsa_",  # OpenSSH
    "id_ecdsa_",
    "id_ed25519_",
    "ssh_host_",
    "jpserver-",  # Jupyter: where a server listens, and its token
    "nbserver-",
)
ENDS = (
    ".env",
    ".tfvars",  # Terraform: variables and state hold passwords in clear text
    ".tfvars.json",
    ".tfstate",
    ".kubeconfig",
    ".keytab",  # Kerberos
    ".ovpn",  # OpenVPN
    ".agekey",
    ".remmina",  # Remmina
    ".publishsettings",  # Azure
    ".psafe3",  # Password Safe
    ".kwallet",  # KWallet
    ".agilekeychain",  # 1Password
    "_rsa",  # OpenSSH, under a name of one's own
    "_dsa",
    "_ecdsa",
    "_ed25519",
    ".secret",  # by custom, and rsync, ZeroTier, LDAP
    ".secrets",
    ".htpasswd",  # Apache, nginx
    "-key.json",  # Google Cloud, as its console names keys
    ".macaroon",  # LND
    ".psk",  # iwd
    ".keyring",  # Ceph
    ".har",  # what a browser sent, cookies among it
    ".hprof",  # the memory of a process
)
"""Files whose names start or end so count, unless they end in one of ``SAMPLES``."""

KEPT_AS = (".json", ".backup")
PARTS = ("service-account", "service_account", "serviceaccount", "firebase-adminsdk", ".tfstate.")
"""Files that are kept as one of these and have one of these parts in their names count: keys of Google Cloud, state."""

SAMPLES = (".example", ".sample", ".template", ".tmpl", ".dist", ".defaults", ".test", ".pub", ".md", ".enc", ".schema")
"""Endings of what only looks like a secret: a sample, a public key, a text about it, an encrypted copy."""

COPIES = (".bak", ".old", ".orig", ".backup", ".save", ".swp", ".swo", "~", "#")
"""Endings that editors and people give to a copy of a file."""

KEYS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".ppk", ".p8", ".pkcs12", ".jceks", ".bks")
"""Endings of files that hold private keys."""

ENDINGS = (
    *word_set(
        "/.docker/config.json /.kube/config /.config/gh/hosts.yml /gh/hosts.yml /.cargo/credentials "
        "/.m2/settings.xml /.gradle/gradle.properties /.gem/credentials /share/gem/credentials /.bundle/config "
        "/composer/auth.json /.composer/auth.json /containers/auth.json /registry/config.json "
        "/helm/repositories.yaml /git/credentials /serviceaccount/token /.config/hub /.config/glab-cli/config.yml "
        "/glab-cli/config.yml /execpolicy/inbox/open.html /pypoetry/auth.toml /huggingface/token "
        "/huggingface/stored_tokens /.huggingface/token /age/keys.txt /.age/key.txt /.config/argocd/config "
        "/.argocd/config /doctl/config.yaml /.fly/config.yml /flyctl/config.yml /vercel/auth.json "
        "/railway/config.json /heroku/netrc /turso/settings.json /prisma-platform/auth.json /expo/state.json "
        "/.expo/state.json /wandb/settings /kopia/repository.config /com.vercel.cli/auth.json "
        "/netlify/config.json /.wrangler/config/default.toml /.railway/config.json /stripe/config.toml /op/config "
        "/.dbt/profiles.yml /.mc/config.json /.vnc/passwd /k3s/server/token "
        # clouds: Hetzner, Linode, Scaleway, Exoscale, Civo, Yandex, Huawei, Backblaze; Netlify, Fly, Twilio
        "/hcloud/cli.toml /.config/linode-cli /.linode-cli/config /scw/config.yaml /exoscale/exoscale.toml "
        "/civo/civo.json /yandex-cloud/config.yaml /.hcloud/config.json /b2/account_info /.netlify/config.json "
        "/.config/fly/config.yml /.twilio-cli/config.json "
        "/twilio-cli/config.json /bitwarden/data.json "
        # builds and forges: CircleCI, Travis, Gitea, GitLab Runner, Cabal, Puppet, Infisical, Akeyless, Databricks
        "/.circleci/cli.yml /.travis/config.yml /tea/config.yml /gitlab-runner/config.toml "
        "/.gitlab-runner/config.toml /.cabal/config /.puppetlabs/token /.infisical/infisical-config.json "
        "/.akeyless/profiles/default.toml /.databricks/token-cache.json /repository/repositories.yaml "
        "/.cf/config.json /.render/cli.yaml /pnpm/rc /.gsutil/credstore /docker/key.json /code-server/config.yaml "
        "/.vscode/sftp.json "
        # databases: ClickHouse, InfluxDB, Grafana
        "/clickhouse-client/config.xml /.clickhouse-client/config.xml /.influxdbv2/configs /grafana/grafana.ini "
        "/pgbouncer/userlist.txt /clickhouse-server/users.xml /default/settings.php /etc/env.php "
        # mail, chat and transfers
        "/mutt/muttrc /msmtp/config /himalaya/config.toml /aerc/accounts.conf /.getmail/getmailrc "
        "/weechat/sec.conf /.weechat/sec.conf /.weechat/irc.conf /.irssi/config /hexchat/servlist.conf "
        "/.purple/accounts.xml /lftp/rc /lftp/bookmarks /remmina/remmina.pref /transmission-daemon/settings.json "
        "/.aria2/aria2.conf /aria2/aria2.conf /todoist/config.json /.mutt/muttrc /.lftp/bookmarks "
        "/.ncftp/bookmarks /davfs2/secrets /signal/config.json /.storage/auth "
        # keys: age, mise, chezmoi, Solana, atuin (with the history), acme.sh, Syncthing, Vagrant, Bitwarden
        "/age/key.txt /mise/age.txt /chezmoi/key.txt /chezmoi/chezmoi.toml /solana/id.json /atuin/key "
        "/atuin/session /atuin/history.db /.acme.sh/account.conf /syncthing/config.xml "
        "/.vagrant.d/insecure_private_key /.vagrant.d/data/vagrant_login_token /earthengine/credentials "
        "/borgmatic/config.yaml "
        # browsers: Chrome and what is made of it
        "/default/cookies /default/network/cookies /slack/cookies "
        # agents keep their own tokens here
        "/.now/auth.json /openai/auth.json /anthropic/credentials /.cursor/auth.json /aichat/config.yaml "
        "/.gemini/settings.json /.qwen/settings.json /.codex/config.toml /zed/settings.json /opencode/opencode.json "
        "/mods/mods.yml /.factory/auth.json /.replicate/auth.json /.codeium/config.json /crush/crush.json "
        "/amp/settings.json /.openclaw/openclaw.json /.continue/config.yaml /.codex/auth.json "
        "/github-copilot/apps.json /github-copilot/hosts.json /opencode/auth.json /.copilot/config.json "
        "/cursor/auth.json /.continue/config.json /io.datasette.llm/keys.json "
        # servers of the system: FreeRADIUS, Asterisk, Dovecot, Squid, Corosync, hostapd, CUPS, cloud-init
        "/raddb/users /raddb/clients.conf /3.0/clients.conf /asterisk/sip.conf /dovecot/users /dovecot/passwd "
        "/squid/passwd /corosync/authkey /hostapd/hostapd.conf /cups/printers.conf "
        "/cloud-init/instance-data-sensitive.json "
        # what watches servers: Datadog, New Relic, Zabbix, Bacula
        "/datadog-agent/datadog.yaml /etc/newrelic-infra.yml /zabbix/zabbix_server.conf /bacula/bacula-dir.conf "
        # Neovim's memory, VS Code, Telegram
        "/shada/main.shada /globalstorage/state.vscdb /tdata/key_datas "
    ),
    "/bitwarden cli/data.json",
    "/default/login data",
)
"""Ends of paths that count by their place."""

SAYING = word_set(
    # what the rules of gitrob, Snaffler, gitleaks and GitHub's secret scanning look for in the names of files
    "auth secret secrets credential credentials password passwords passwd passphrase apikey apikeys api_key "
    "api_keys accesskey accesskeys access_key access_keys secretkey secret_key secretkeys secret_keys privatekey "
    "private_key encryption_key signing_key authtoken auth_token accesstoken access_token refresh_token "
    "client_secret client_secrets oauth_token bearer_token token tokens vault_pass vault_password kubeconfig"
)
"""A file whose name is one of these words (``-`` for ``_`` as well) with an ending of data is one to keep apart."""

SAYING_LAST = word_set(
    "credential credentials apikey apikeys api_key api_keys access_key access_keys secret_key private_key kubeconfig"
)
"""These say so too where they stand last: ``google-credentials.json``, ``stripe_api_key.txt``."""

SAYING_AT_HOME = SAYING | word_set("key keys token tokens session sessions cookies cookie login account accounts")
"""Words that say so in a program's own folder at home (``~/.openai/key``), with an ending of data or none."""

DATA = word_set("json json5 jsonc yml yaml toml txt csv xml ini conf cfg config properties plist dat db sqlite bak old")
"""Endings of files that hold data and no code."""

SPEAKING = word_set("locale locales i18n l10n lang langs language languages translations messages intl")
"""Folders of texts for people, in which ``auth.json`` holds what a form says."""

PLACES = (
    "/run/secrets/",
    "/var/run/secrets/",
    "/run/credentials/",
    "/etc/ssl/private/",
    "/etc/wireguard/",
    "/etc/letsencrypt/live/",
    "/etc/letsencrypt/archive/",
    "/etc/kubernetes/pki/",
    "/etc/salt/pki/",
    "/etc/networkmanager/system-connections/",
    "/etc/sudoers.d/",
    "/var/lib/rancher/k3s/server/cred/",
    *("/etc/apt/auth.conf.d/", "/etc/openvpn/", "/etc/netplan/", "/etc/opendkim/keys/", "/etc/ipsec.d/private/"),
    *("/etc/swanctl/private/", "/etc/pve/priv/", "/var/lib/samba/private/", "/var/lib/sss/", "/var/lib/iwd/"),
    *("/var/lib/bluetooth/", "/var/lib/teleport/", "/var/spool/cron/", "/var/spool/mail/", "/var/mail/"),
    *("/var/lib/cloud/instance/", "/var/lib/cloud/instances/"),
)
"""Folders of the system in which every file counts."""

WHERE = (
    *("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/kubernetes/admin.conf", "/etc/rancher/k3s/k3s.yaml"),
    *(
        "/etc/ssl/private/x",
        "/etc/wireguard/x",
        "/etc/letsencrypt/live/x",
        "/etc/ppp/chap-secrets",
        "/etc/mysql/debian.cnf",
    ),
    *(
        "/proc/self/environ",
        "/proc/self/task/1/environ",
        "/proc/1/environ",
        "/run/secrets/x",
        "/var/run/secrets/x",
        "/var/lib/rancher/k3s/server/token",
    ),
    *(
        "~/.ssh/id_rsa",
        "~/.aws/credentials",
        "~/.config/gh/hosts.yml",
        "~/.config/gcloud/x",
        "~/.local/share/keyrings/x",
    ),
    *("~/.cache/huggingface/token", "~/library/keychains/x", "~/.local/share/opencode/auth.json", "~/.netrc"),
    *("~/.codex/auth.json", "~/.claude/.credentials.json", "~/.gemini/oauth_creds.json", "~/.cargo/credentials.toml"),
)
"""Where secrets usually lie on a machine; ``~`` is any home. What is read whole is so with them."""
