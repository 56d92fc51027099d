{{/* Names are fixed: tokens name the ServiceAccounts, the operator names the Secret. One release in a namespace. */}}
{{- define "butlers.operator" -}}butlers-operator{{- end -}}
{{- define "butlers.postgresql" -}}butlers-postgresql{{- end -}}
{{- define "butlers.reader" -}}butlers-reader{{- end -}}
{{- define "butlers.dashboard" -}}butlers-dashboard{{- end -}}

{{/* Cluster-wide objects carry the release's namespace, so that two releases do not meet. */}}
{{- define "butlers.clusterName" -}}
{{- printf "%s:%s" "butlers" .Release.Namespace -}}
{{- end -}}

{{/* The operator's PriorityClass, one for each release's namespace. */}}
{{- define "butlers.priorityClass" -}}{{ printf "butlers.%s.operator" .Release.Namespace }}{{- end -}}

{{/* Namespaces with a household each that are named, as JSON; none where they are selected by label alone. */}}
{{- define "butlers.namespaces" -}}
{{- $own := .Values.watchLabelled.enabled | ternary list (list .Release.Namespace) -}}
{{- .Values.watchNamespaces | default $own | uniq | toJson -}}
{{- end -}}

{{/* Those of them in which objects can be made: there, and not being deleted. All of them where no cluster is asked. */}}
{{- define "butlers.present" -}}
{{- $names := include "butlers.namespaces" . | fromJsonArray -}}
{{- $present := list -}}
{{- $asked := and (ne (toJson $names) (toJson (list .Release.Namespace))) (lookup "v1" "Namespace" "" "default") -}}
{{- range $name := $names -}}
{{- if or (not $asked) (eq $name $.Release.Namespace) -}}
{{- $present = append $present $name -}}
{{- else -}}
{{- $found := lookup "v1" "Namespace" "" $name -}}
{{- if and $found (not (dig "metadata" "deletionTimestamp" "" $found)) -}}
{{- $present = append $present $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $present -}}
{{- end -}}

{{/* The households' namespaces as namespaceSelectors, one or two of them, as JSON. */}}
{{- define "butlers.namespaceSelectors" -}}
{{- $names := include "butlers.namespaces" . | fromJsonArray -}}
{{- $selectors := list -}}
{{- if $names -}}
{{- $selectors = append $selectors (dict "matchExpressions" (list (dict "key" "kubernetes.io/metadata.name" "operator" "In" "values" $names))) -}}
{{- end -}}
{{- if .Values.watchLabelled.enabled -}}
{{- $selectors = append $selectors (dict "matchLabels" (dict "butlers.dev/watch" "true")) -}}
{{- end -}}
{{- toJson $selectors -}}
{{- end -}}

{{/* ServiceAccounts of the people who act on the dashboard, as JSON; none where it is off. */}}
{{- define "butlers.operators" -}}
{{- $names := list -}}
{{- if .Values.dashboard.enabled -}}
{{- range .Values.dashboard.operators -}}
{{- $names = append $names (include "butlers.person" .name) -}}
{{- end -}}
{{- end -}}
{{- $names | uniq | toJson -}}
{{- end -}}
{{- define "butlers.person" -}}butlers-person-{{ . }}{{- end -}}

{{/* Labels: dict "root" $ "name" … "component" …; one map, so that no key comes twice. */}}
{{- define "butlers.labels" -}}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version)
  "app.kubernetes.io/name" .name
  "app.kubernetes.io/instance" .root.Release.Name
  "app.kubernetes.io/component" .component
  "app.kubernetes.io/version" .root.Chart.AppVersion
  "app.kubernetes.io/part-of" "butlers"
  "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- toYaml (merge $own .root.Values.commonLabels) -}}
{{- end -}}

{{- define "butlers.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end -}}

{{/* Image: dict "root" $ "image" .Values.image */}}
{{- define "butlers.image" -}}
{{- $registry := .root.Values.global.imageRegistry | default .image.registry -}}
{{- $name := empty $registry | ternary .image.repository (printf "%s/%s" $registry .image.repository) -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (.image.tag | default .root.Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "butlers.pullSecrets" -}}
{{- with .Values.global.imagePullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Pod Security "restricted"; the argument is the user, or null. */}}
{{- define "butlers.podSecurity" -}}
runAsNonRoot: true
{{- if not (kindIs "invalid" .) }}
runAsUser: {{ int . }}
runAsGroup: {{ int . }}
fsGroup: {{ int . }}
fsGroupChangePolicy: OnRootMismatch
{{- end }}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "butlers.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{/* Where a pod may run: the component's values. */}}
{{- define "butlers.scheduling" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .topologySpreadConstraints }}
topologySpreadConstraints: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of a pod: those of `butlers.labels`, and further ones that never replace them. */}}
{{- define "butlers.podLabels" -}}
{{- toYaml (merge (include "butlers.labels" . | fromYaml) (.more | default dict)) -}}
{{- end -}}

{{/* The Secret with the URL of the database's administrator, and its key. */}}
{{- define "butlers.databaseSecret" -}}
{{- if eq .Values.postgresql.mode "external" -}}
{{- required "postgresql.mode is external: name the database's Secret in postgresql.external.existingSecret" .Values.postgresql.external.existingSecret -}}
{{- else -}}
{{- .Values.postgresql.embedded.existingSecret | default (include "butlers.postgresql" .) -}}
{{- end -}}
{{- end -}}
{{- define "butlers.databaseKey" -}}
{{- eq .Values.postgresql.mode "external" | ternary .Values.postgresql.external.key "uri" -}}
{{- end -}}

{{/* Fails when a kind of the Prometheus operator would be of no use or cannot be had: dict "root" $ "kind" … "switch" … */}}
{{- define "butlers.needsMonitoring" -}}
{{- if and (ne .kind "PrometheusRule") (not .root.Values.metrics.namespace) -}}
{{- fail (printf "%s is on, but nobody may read /metrics: say in metrics.namespace where Prometheus runs" .switch) -}}
{{- end -}}
{{- if not (.root.Capabilities.APIVersions.Has (printf "monitoring.coreos.com/v1/%s" .kind)) -}}
{{- fail (printf "%s is on, but the cluster has no %s of monitoring.coreos.com/v1: install the Prometheus operator first, or switch it off (without a cluster: --api-versions monitoring.coreos.com/v1/%s)" .switch .kind .kind) -}}
{{- end -}}
{{- end -}}

{{/* The way of the chart's pods to their collector, wherever that is: a rule of a NetworkPolicy's egress. */}}
{{- define "butlers.collectorEgress" -}}
{{- with .Values.telemetry.otlpEndpoint -}}
{{- $host := (urlParse .).host -}}
- ports: [{port: {{ regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (hasPrefix "https:" . | ternary "443" "80") }}, protocol: TCP}]
{{- end -}}
{{- end -}}
