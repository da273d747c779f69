"""Programs that speak to a service, a cluster, a database or a machine elsewhere, and can take its things away."""

from __future__ import annotations

from execpolicy.programs.record import Program

# fmt: off
RECORDS = (
    Program("linode-cli", far=True, worst="[] delete linodes delete 1; [linodes=] delete delete 1"),
    Program("hcloud openstack", far=True, worst="[] delete server delete x; [server=] delete delete x"),
    Program("ibmcloud", far=True, worst="[] delete resource service-instance-delete x -f"),
    Program("oci", far=True, worst="[] delete os bucket delete --bucket-name x --force; elsewhere --profile prod"),
    Program("k9s", far=True, worst="elsewhere --kubeconfig /tmp/evil.yaml; elsewhere --context prod"),
    Program("kubectx kubens", far=True, worst="elsewhere prod"),
    Program("stern kail", far=True, worst="elsewhere --context prod"),
    Program("linkerd", far=True, worst="elsewhere --context prod"),
    Program("velero", far=True, worst="[] delete backup delete x --confirm; elsewhere --kubecontext prod"),
    Program("eksctl", far=True, worst="[delete] delete cluster -n x; [] delete delete cluster -n x; elsewhere "
        "--profile prod"),
    Program("k3d", far=True, worst="[] delete cluster delete -a; [cluster=] delete delete -a"),
    Program("virsh", far=True, worst="[] delete undefine x --remove-all-storage; elsewhere -c qemu+ssh://evil/system"),
    Program("rabbitmqctl", far=True, worst="[] run eval 'os:cmd(\"./evil\").'; [eval] run 'os:cmd(\"./evil\").'; "
        "elsewhere -n rabbit@other"),
    Program("influx", far=True, worst="[] delete bucket delete -n x; elsewhere --host http://evil"),
    Program("bq", far=True, worst="[rm] delete -r -f x; [] delete rm -r -f x; elsewhere --project_id other"),
    Program("databricks", far=True, worst="[] delete workspace delete /x --recursive; elsewhere --profile prod"),
    Program("dropdb", far=True, worst="delete x; elsewhere -h evil x"),
    Program("mysqladmin", far=True, worst="[] delete drop x -f; elsewhere -h evil"),
    Program("liquibase", far=True, worst="[] delete drop-all; load --classpath=/tmp/evil.jar"),
    Program("flyway", far=True, worst="[] delete clean; load -configFiles=/tmp/evil.conf"),
    Program("dbmate", far=True, worst="[] delete drop; elsewhere -u postgres://evil/x"),
    Program("drush", far=True, worst="[] run php:eval 'evil();'; elsewhere -r /tmp"),
    Program("wp", far=True, worst="[] run eval 'evil();'; load --require=/tmp/evil.php; elsewhere --path=/tmp"),
    Program("scrapy", far=True, worst="[] run runspider /tmp/evil.py; [runspider] run /tmp/evil.py"),
    Program("condor_submit", far=True, worst="run evil.sh"),
    Program("tshark", far=True, worst="run -X lua_script:/tmp/evil.lua; write -w /etc/x"),
    Program("btrfs", far=True, worst="[] delete subvolume delete /x"),
    Program("lvremove vgremove", far=True, worst="delete -f x"),
    Program("mkfs mkfs.ext4 mkfs.xfs mkfs.btrfs mkswap", far=True, worst="device /dev/sda1"),
    Program("wipefs", far=True, worst="device -a /dev/sda"),
    Program("fdisk parted sgdisk", far=True, worst="device /dev/sda"),
    Program("userdel", far=True, worst="delete -r x"),
)
