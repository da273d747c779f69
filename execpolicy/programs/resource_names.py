"""The kinds of objects of Kubernetes under all their names: ``po``, ``pod`` and ``pods`` are one.

Source: ``kubectl api-resources`` of Kubernetes 1.32 (plural, singular and short names), and the group ``all``. kubectl
tells no capitals from small letters, takes several kinds with commas between, a version or a group behind a dot, and
``KIND/NAME`` in one word.
"""

from __future__ import annotations

from execpolicy.shell.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KINDS = [
    frozenset(names.split())
    for names in [
        "bindings binding",
        "componentstatuses componentstatus cs",
        "configmaps configmap cm",
        "endpoints ep",
        "events event ev",
        "limitranges limitrange limits",
        "namespaces namespace ns",
        "nodes node no",
        "persistentvolumeclaims persistentvolumeclaim pvc",
        "persistentvolumes persistentvolume pv",
        "pods pod po",
        "podtemplates podtemplate",
        "replicationcontrollers replicationcontroller rc",
        "resourcequotas resourcequota quota",
        "secrets secret",
        "serviceaccounts serviceaccount sa",
        "services service svc",
        "mutatingwebhookconfigurations mutatingwebhookconfiguration",
        "validatingadmissionpolicies validatingadmissionpolicy",
        "validatingadmissionpolicybindings validatingadmissionpolicybinding",
        "validatingwebhookconfigurations validatingwebhookconfiguration",
        "customresourcedefinitions customresourcedefinition crds crd",
        "apiservices apiservice",
        "controllerrevisions controllerrevision",
        "daemonsets daemonset ds",
        "deployments deployment deploy",
        "replicasets replicaset rs",
        "statefulsets statefulset sts",
        "horizontalpodautoscalers horizontalpodautoscaler hpa",
        "cronjobs cronjob cj",
        "jobs job",
        "certificatesigningrequests certificatesigningrequest csr",
        "leases lease",
        "endpointslices endpointslice",
        "flowschemas flowschema",
        "prioritylevelconfigurations prioritylevelconfiguration",
        "ingressclasses ingressclass",
        "ingresses ingress ing",
        "networkpolicies networkpolicy netpol",
        "runtimeclasses runtimeclass",
        "poddisruptionbudgets poddisruptionbudget pdb",
        "clusterrolebindings clusterrolebinding",
        "clusterroles clusterrole",
        "rolebindings rolebinding",
        "roles role",
        "priorityclasses priorityclass pc",
        "csidrivers csidriver",
        "csinodes csinode",
        "csistoragecapacities csistoragecapacity",
        "storageclasses storageclass sc",
        "volumeattachments volumeattachment",
    ]
]
_ALL = "pods rc services daemonsets deployments replicasets statefulsets hpa cronjobs jobs"
"""What ``all`` stands for."""
_BY_NAME = {name: kind for kind in _KINDS for name in kind}
_FARTHEST = 12
"""Words in which the kind is looked for."""
_MOST = 16
"""Kinds in one word."""


def other_names(words: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """The command with each other name of each kind that a word names."""
    for at, word in enumerate(words[2:_FARTHEST], 2):
        kinds, slash, name = (word.literal or "").partition("/")
        behind = (Word(name, word.span),) if slash else ()
        for each in kinds.split(",")[:_MOST]:
            kind = each.partition(".")[0].lower()
            for one in _ALL.split() if kind == "all" else (kind,):
                for other in sorted(_BY_NAME.get(one, ())):
                    if slash or other != word.literal:
                        yield (*words[:at], Word(other, word.span), *behind, *words[at + 1 :])
