{{/* What the operator may do in a household's namespace. */}}
{{- define "butlers.operatorRules" -}}
# Framework: watching the resources; patching takes finalizers of earlier versions off.
- apiGroups: [butlers.dev]
  resources: [butlers, connectors, backfilljobs, butleroperations]
  verbs: [get, list, watch, patch]
# Application: ended operations go after a week.
- apiGroups: [butlers.dev]
  resources: [butleroperations]
  verbs: [delete]
# Application: what was observed, as the status.
- apiGroups: [butlers.dev]
  resources: [butlers/status, connectors/status, backfilljobs/status, butleroperations/status]
  verbs: [get, patch]
# Application: children whose deletion blocks that of their owner.
- apiGroups: [butlers.dev]
  resources: [butlers/finalizers, connectors/finalizers, backfilljobs/finalizers, butleroperations/finalizers]
  verbs: [update]
# Application: the children.
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services, serviceaccounts, configmaps, persistentvolumeclaims]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [networking.k8s.io]
  resources: [networkpolicies, ingresses]
  verbs: [get, list, watch, create, patch, delete]
# Application: a webhook's route, where the cluster has the Gateway API.
- apiGroups: [gateway.networking.k8s.io]
  resources: [httproutes]
  verbs: [get, create, patch, delete]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [get, list, watch, create, patch, delete]
# Application: statistics on Spark, by the spark-operator or by CronJobs; a run that does not begin is deleted.
- apiGroups: [batch]
  resources: [cronjobs]
  verbs: [get, list, create, patch, delete]
- apiGroups: [batch]
  resources: [jobs]
  verbs: [get, list]
- apiGroups: [sparkoperator.k8s.io]
  resources: [scheduledsparkapplications, sparkapplications]
  verbs: [get, list, create, patch, delete]
# Application: evidence of the pods, and why one cannot start; an annotation tells a pod's kubelet to read its volumes.
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch, patch]
# Application: secrets that resources name are read by their names.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get]
{{- if .Values.rbac.watchSecrets }}
# Application: the metadata of secrets with the label butlers.dev/reload, so that their change is seen at once.
- apiGroups: [""]
  resources: [secrets]
  verbs: [list, watch]
{{- end }}
# Application: Switchboard's signing key is made and rotated; nothing can be created by name only.
- apiGroups: [""]
  resources: [secrets]
  verbs: [create]
- apiGroups: [""]
  resources: [secrets]
  resourceNames: [switchboard-signing]
  verbs: [patch, update, delete]
# Application: events on transitions.
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [create, patch]
{{- end -}}
